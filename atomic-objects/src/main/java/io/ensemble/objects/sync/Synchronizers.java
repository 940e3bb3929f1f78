package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.link.LeaseClock;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.state.BarrierState;
import io.ensemble.objects.sync.state.CellState;
import io.ensemble.objects.sync.state.DeclaredSize;
import io.ensemble.objects.sync.state.ElementCodec;
import io.ensemble.objects.sync.state.LatchState;
import io.ensemble.objects.sync.state.ListState;
import io.ensemble.objects.sync.state.MapState;
import io.ensemble.objects.sync.state.QueueState;
import io.ensemble.objects.sync.state.SetState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Opens, or creates, synchronizers and shared values by name; their names are shared with the other
 * objects of the store. Immutable and thread-safe.
 *
 * <p>Each handle can be closed separately; closing the factory closes all. The object remains until
 * the factory {@linkplain AtomicObjectFactory#dispose disposes} of it. An existing object of
 * another type is refused with {@link io.ensemble.objects.AtomicObjectException.OtherType}. An
 * object created with another number of permits, parties or the like is refused with {@link
 * IllegalArgumentException}.
 *
 * <p>Operations cost, and fail, as calls of atomic objects do. Values are stored as bytes, so only
 * a process that puts and gets them needs their classes.
 */
public final class Synchronizers {

  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);
  private static final Duration LONGEST_LEASE = Duration.ofDays(365);

  private final AtomicObjectFactory factory;
  private final LeaseClock clock;
  private final Duration lease;
  private final List<Class<?>> with;
  private final Map<String, ObjectType<?>> types;
  private final boolean creates;

  Synchronizers(AtomicObjectFactory factory, LeaseClock clock) {
    this(factory, clock, LEASE, List.of(), new ConcurrentHashMap<>(), true);
  }

  private Synchronizers(
      AtomicObjectFactory factory,
      LeaseClock clock,
      Duration lease,
      List<Class<?>> with,
      Map<String, ObjectType<?>> types,
      boolean creates) {
    this.factory = factory;
    this.clock = clock;
    this.types = types;
    this.lease = lease;
    this.with = with;
    this.creates = creates;
  }

  /** Returns the synchronizers on the store of {@code factory}, with leases of 10 seconds. */
  public static Synchronizers on(AtomicObjectFactory factory) {
    return new Synchronizers(factory, LeaseClock.of(factory));
  }

  /**
   * Returns a copy with leases of this length for grants of handles opened from now on. A dead
   * holder blocks others for that long; a holder that cannot reach the store for that long loses
   * its grant. The lease should be many times as long as a call takes.
   */
  public Synchronizers lease(Duration length) {
    if (length.compareTo(SHORTEST_LEASE) < 0 || length.compareTo(LONGEST_LEASE) > 0) {
      throw new IllegalArgumentException(
          "lease must be in [" + SHORTEST_LEASE + ", " + LONGEST_LEASE + "]; got " + length);
    }
    return new Synchronizers(factory, clock, length, with, types, creates);
  }

  /**
   * Returns a copy with additional classes that values contain and their own class does not
   * mention, for example subclasses.
   */
  public Synchronizers with(Class<?>... classes) {
    List<Class<?>> more = new ArrayList<>(with);
    more.addAll(List.of(classes));
    return new Synchronizers(factory, clock, lease, List.copyOf(more), types, creates);
  }

  /**
   * Returns a copy that creates nothing: an object that does not exist is refused with {@link
   * io.ensemble.objects.AtomicObjectException.NoSuchObject}.
   */
  public Synchronizers existing() {
    return new Synchronizers(factory, clock, lease, with, types, false);
  }

  /** A counter, initially zero. */
  public SharedCounter counter(String name) {
    return new SharedCounter(link(name, "counter", CounterState.class, CounterState::new));
  }

  /**
   * A counter that stays in these bounds; initially the number in them that is nearest to zero.
   * {@link #counter(String)} opens it with the same bounds.
   */
  public SharedCounter counter(String name, SharedCounter.Bounds bounds) {
    FactoryLink<CounterState> link =
        link(
            name,
            "counter",
            "counter " + bounds,
            CounterState.class,
            () -> new CounterState(bounds));
    SharedCounter.Bounds present = link.proxy().bounds();
    if (!present.equals(bounds)) {
      link.close();
      throw new IllegalArgumentException(
          "the counter exists with %s and cannot be opened with %s; object=%s"
              .formatted(present, bounds, name));
    }
    return new SharedCounter(link);
  }

  /** A reference, initially without a value. */
  public <V> SharedReference<V> reference(String name, Class<V> type) {
    return new SharedReference<>(
        link(name, "reference", CellState.class, CellState::new), elements(type));
  }

  /** A compare-and-swap register, initially without a value. */
  public <V> SharedRegister<V> register(String name, Class<V> type) {
    return new SharedRegister<>(
        link(name, "register", CellState.class, CellState::new), elements(type));
  }

  /** A map, initially empty. */
  public <K, V> SharedMap<K, V> map(String name, Class<K> keys, Class<V> values) {
    return new SharedMap<>(
        link(name, "map", MapState.class, MapState::new), elements(keys), elements(values));
  }

  /** A list, initially empty. */
  public <V> SharedList<V> list(String name, Class<V> type) {
    return new SharedList<>(link(name, "list", ListState.class, ListState::new), elements(type));
  }

  /** A set, initially empty. */
  public <V> SharedSet<V> set(String name, Class<V> type) {
    return new SharedSet<>(link(name, "set", SetState.class, SetState::new), elements(type));
  }

  /** A queue, initially empty, limited only by the size of an object. */
  public <V> SharedQueue<V> queue(String name, Class<V> type) {
    return queue(name, type, Integer.MAX_VALUE);
  }

  /** A queue, initially empty, of at most {@code capacity} values. */
  public <V> SharedQueue<V> queue(String name, Class<V> type, int capacity) {
    return new SharedQueue<>(
        sized(name, "queue", QueueState.class, capacity, () -> new QueueState(capacity)),
        elements(type),
        capacity);
  }

  /** A lock, initially free. */
  public FencedLock lock(String name) {
    return new FencedLock(claims(name, "lock", 1));
  }

  /** The lock of that name, for holders with ids of their own. */
  public NamedLock namedLock(String name) {
    return new NamedLock(sized(name, "lock", PermitState.class, 1, () -> new PermitState(1)));
  }

  /** A read-write lock, initially free. */
  public FencedReadWriteLock readWriteLock(String name) {
    return new FencedReadWriteLock(claims(name, "read-write lock", FencedReadWriteLock.ALL));
  }

  /** A semaphore, initially with all its permits. */
  public FencedSemaphore semaphore(String name, int permits) {
    return new FencedSemaphore(claims(name, "semaphore", positive(permits)), permits);
  }

  /** An election, initially without a leader. */
  public LeaderElection election(String name) {
    return new LeaderElection(claims(name, "election", 1));
  }

  /** A latch with this initial count, of at most 10,000. */
  public SharedLatch latch(String name, int count) {
    if (count < 0 || count > LatchState.MOST) {
      throw new IllegalArgumentException(
          "count must be in [0, " + LatchState.MOST + "]; got " + count);
    }
    return new SharedLatch(
        sized(name, "latch", LatchState.class, count, () -> new LatchState(count)));
  }

  /** A barrier for this number of parties, of at most 1,000; initially no party has arrived. */
  public SharedBarrier barrier(String name, int parties) {
    if (parties > BarrierState.MOST) {
      throw new IllegalArgumentException(
          "number of parties must be in [1, " + BarrierState.MOST + "]; got " + parties);
    }
    return new SharedBarrier(
        sized(
            name,
            "barrier",
            BarrierState.class,
            positive(parties),
            () -> new BarrierState(parties)),
        parties);
  }

  PermitClient claims(String name, String kind, int permits) {
    return new PermitClient(
        sized(name, kind, PermitState.class, permits, () -> new PermitState(permits)), lease);
  }

  private <V> ElementCodec<V> elements(Class<V> type) {
    List<Class<?>> classes = new ArrayList<>(with);
    classes.add(type);
    return new ElementCodec<>(factory.values(classes.toArray(Class<?>[]::new)), type);
  }

  private <S> FactoryLink<S> link(String name, String kind, Class<S> state, Supplier<S> first) {
    return link(name, kind, kind, state, first);
  }

  /** Types are cached, as a factory caches a state machine for each type. */
  @SuppressWarnings("unchecked") // the key determines the type
  private <S> FactoryLink<S> link(
      String name, String kind, String key, Class<S> state, Supplier<S> first) {
    ObjectType<S> type =
        (ObjectType<S>)
            types.computeIfAbsent(key, k -> ObjectType.of(state, first).named("ensemble " + kind));
    S proxy = creates ? factory.openOrCreate(name, type) : factory.open(name, type);
    return new FactoryLink<>(factory, clock, proxy);
  }

  private <S extends DeclaredSize> FactoryLink<S> sized(
      String name, String kind, Class<S> state, int size, Supplier<S> first) {
    FactoryLink<S> link = link(name, kind, kind + " " + size, state, first);
    int declared = link.proxy().declared();
    if (declared != size) {
      link.close();
      throw new IllegalArgumentException(
          "the "
              + kind
              + " exists with "
              + declared
              + " and cannot be opened with "
              + size
              + "; object="
              + name);
    }
    return link;
  }

  private static int positive(int number) {
    if (number < 1) {
      throw new IllegalArgumentException("number must be above zero; got " + number);
    }
    return number;
  }
}
