package io.ensemble.objects;

import io.ensemble.objects.machine.JavaStateMachine;
import io.ensemble.objects.machine.MethodContext;
import io.ensemble.objects.proxy.AtomicObjectProxy;
import io.ensemble.objects.proxy.Proxies;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.runtime.ObjectLifecycle;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.value.ReachableClasses;
import io.ensemble.objects.value.ValueCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;

/**
 * Creates, opens, closes and disposes of atomic objects: instances of any Java class, shared by
 * name between all processes that have a factory on the same store.
 *
 * <p>An object is used through a proxy. Each method call takes effect once, at one moment between
 * its beginning and its end, for all processes (linearizable). A call is durable when it returns:
 * the object lasts as long as its entry in the store, also when every process that opened it dies.
 * A call costs one compare-and-set on the store, and a read if another process changed the object.
 * Concurrent calls of one process share one compare-and-set. A method with {@link ReadOnly} costs
 * one read.
 *
 * <p>A call ends with the result or the exception of the method, or with an {@link
 * AtomicObjectException}, whose kind says whether the call was applied. Thread-safe. Stages
 * complete on the executor of the factory. All methods except {@code async}, {@code register},
 * {@code changed} and those whose names end in {@code Async} wait, up to the {@link #timeout}. No
 * method can be used in a method of an atomic object ({@link NestedCallException}), nor after the
 * factory was closed ({@link IllegalStateException}).
 *
 * <p>D2.6, "Factory of atomic objects", and its appendix A, section IV.
 */
public final class AtomicObjectFactory implements AutoCloseable {

  /** An opened object, and whether this call created it. */
  public record Made<T>(T proxy, boolean created) {}

  private final AtomicObjectFactoryBuilder options;
  private final FactoryThreads threads;
  private final TimedExecutor timedExecutor;
  private final SessionRegistry sessionRegistry;
  final ObjectOpener openings;
  private final ObjectTypeRegistry references;

  AtomicObjectFactory(AtomicObjectFactoryBuilder options) {
    this.options = options;
    this.threads = new FactoryThreads(options.executor);
    TimedExecutor given = options.timedExecutor;
    this.timedExecutor =
        given == null ? new TimedExecutor(threads.executor(), threads.timer()) : given;
    this.sessionRegistry = new SessionRegistry(options, timedExecutor);
    this.openings = new ObjectOpener(this, options, sessionRegistry, timedExecutor);
    this.references = new ObjectTypeRegistry(this);
  }

  /** Returns a factory on {@code store}, with default options. */
  public static AtomicObjectFactory on(ObjectStore store) {
    return builder(store).build();
  }

  /** Returns the options of a factory on {@code store}. */
  public static AtomicObjectFactoryBuilder builder(ObjectStore store) {
    return new AtomicObjectFactoryBuilder(store);
  }

  /**
   * Creates an object, and opens it.
   *
   * @throws AtomicObjectException.ObjectExists if the name is taken
   */
  public <T> T create(String name, ObjectType<T> type) {
    return waited(name, createAsync(name, type));
  }

  /**
   * Opens an existing object.
   *
   * @throws AtomicObjectException.NoSuchObject if the object does not exist
   * @throws AtomicObjectException.OtherType if the object has another type
   */
  public <T> T open(String name, ObjectType<T> type) {
    return waited(name, openAsync(name, type));
  }

  /**
   * Opens an object; creates it first if it does not exist.
   *
   * @throws AtomicObjectException.OtherType if the object exists and has another type
   */
  public <T> T openOrCreate(String name, ObjectType<T> type) {
    return waited(name, openOrCreateAsync(name, type));
  }

  /** As {@link #create}, without waiting. */
  public <T> CompletionStage<T> createAsync(String name, ObjectType<T> type) {
    return createAsync(name, type, machine(type).type().initial());
  }

  /** As {@link #createAsync(String, ObjectType)}, with an initial state, which is copied. */
  public <T> CompletionStage<T> createAsync(String name, ObjectType<T> type, T initial) {
    return makeAsync(name, type, initial)
        .thenCompose(
            made ->
                made.created()
                    ? CompletableFuture.completedFuture(made.proxy())
                    : closeAsync(made.proxy())
                        .thenApply(
                            closed -> {
                              throw new AtomicObjectException.ObjectExists(name);
                            }));
  }

  /**
   * As {@link #openOrCreate}, without waiting; the result also says whether the object was created.
   */
  public <T> CompletionStage<Made<T>> makeAsync(String name, ObjectType<T> type, T initial) {
    checkUse("openOrCreate");
    JavaStateMachine<T> machine = machine(type);
    return openings
        .made(name, machine, initial)
        .thenApply(made -> new Made<>(proxy(made.handle(), machine), made.created()));
  }

  /** As {@link #open}, without waiting. */
  public <T> CompletionStage<T> openAsync(String name, ObjectType<T> type) {
    checkUse("open");
    JavaStateMachine<T> machine = machine(type);
    return opened(name, machine, false).thenApply(handle -> proxy(handle, machine));
  }

  /** As {@link #openOrCreate}, without waiting. */
  public <T> CompletionStage<T> openOrCreateAsync(String name, ObjectType<T> type) {
    return makeAsync(name, type, machine(type).type().initial()).thenApply(Made::proxy);
  }

  /**
   * Opens an existing object for reads that may be stale. A {@link ReadOnly} method is answered
   * from the state that this process has, without a request to the store. The condition is that
   * this state is younger than the freshness of the settings, and that no event has reported a
   * change. The reads of a thread never go back in time, and include its own calls (sequential
   * consistency). All other calls are linearizable.
   */
  public <T> T openSequential(String name, ObjectType<T> type) {
    return waited(name, openSequentialAsync(name, type));
  }

  /** As {@link #openSequential}, without waiting. */
  public <T> CompletionStage<T> openSequentialAsync(String name, ObjectType<T> type) {
    checkUse("openSequential");
    JavaStateMachine<T> machine = machine(type);
    return opened(name, machine, true).thenApply(handle -> proxy(handle, machine));
  }

  /**
   * Reads an object without opening it: {@code looking} gets a copy of the state, as recent as a
   * linearizable read. Costs one read, and a second one if the state has an entry of its own; the
   * states that were read last are cached in this process. {@code looking} runs on the executor,
   * and may keep any part of the copy.
   *
   * @return fails as {@link #openAsync} does
   */
  public <T, R> CompletionStage<R> glance(
      String name, ObjectType<T> type, Function<? super T, ? extends R> looking) {
    checkUse("glance");
    JavaStateMachine<T> machine = machine(type);
    return openings
        .sighted(name, machine, null)
        .thenCompose(
            seen ->
                seen.isPresent()
                    ? CompletableFuture.completedFuture(looking.apply(seen.get().state()))
                    : opened(name, machine, false)
                        .thenCompose(handle -> once(handle, machine, looking)));
  }

  private <T, R> CompletionStage<R> once(
      ObjectHandle handle, JavaStateMachine<T> machine, Function<? super T, ? extends R> looking) {
    return Proxies.<T, R>async(proxy(handle, machine), looking)
        .whenComplete((value, failure) -> release(handle));
  }

  /**
   * Makes one call without waiting for it: {@code factory.async(counter, c -> c.add(5))}. The
   * function runs immediately and must make exactly one call, whose result it returns. Inside the
   * function that result is zero, false or null.
   *
   * @return completes with the result of the call, or fails as the call would
   */
  public <T, R> CompletionStage<R> async(T proxy, Function<? super T, ? extends R> call) {
    return Proxies.async(proxy, call);
  }

  /**
   * Closes a proxy that this factory opened, when its calls have ended or after the timeout; calls
   * that have not ended by then end with an unknown outcome. The object remains. Closing a proxy
   * twice has no effect. Closing a proxy that was obtained as a reference has no effect either: it
   * is closed with the factory.
   *
   * @throws IllegalArgumentException if {@code proxy} is not a proxy, or is one of another factory
   */
  public void close(Object proxy) {
    waited(String.valueOf(proxy), closeAsync(proxy));
  }

  /** As {@link #close(Object)}, without waiting. */
  public CompletionStage<Void> closeAsync(Object proxy) {
    if (!(proxy instanceof AtomicObjectProxy atomicObjectProxy)) {
      throw new IllegalArgumentException(
          "expected a proxy of an atomic object; got a " + proxy.getClass().getName());
    }
    if (!(atomicObjectProxy.$ensembleCaller() instanceof ObjectHandle handle)) {
      return CompletableFuture.completedFuture(null);
    }
    if (!handle.isOf(this)) {
      throw new IllegalArgumentException("this proxy was opened by another factory");
    }
    return release(handle);
  }

  /**
   * Disposes of an object for all processes. Calls that are in progress in other processes may end
   * with an unknown outcome; later calls find no object. The name can be used again. A small entry
   * remains under the name, so that fencing tokens continue to increase.
   *
   * @return false if there was no object
   */
  public boolean dispose(String name) {
    checkUse("dispose");
    return waited(name, openings.disposed(name));
  }

  /**
   * Disposes of the object that has this birth, unless another one has its name now.
   *
   * @param birth that of an {@link ObservedState}
   */
  public void dispose(String name, UUID birth) {
    checkUse("dispose");
    waited(name, openings.disposed(name, birth));
  }

  /** Whether there is an object of that name. */
  public boolean exists(String name) {
    checkUse("exists");
    return waited(name, openings.found(name).thenApply(Optional::isPresent));
  }

  /**
   * Iterates over the objects whose names begin with {@code prefix}, in no order; not a snapshot.
   * An object that exists throughout is returned, perhaps more than once. Each step waits for the
   * store, and fails as {@link #exists} does, or with the failure of the store's iteration. The
   * iterator must be closed, and used by one thread at a time. Costs an iteration over all keys of
   * the store, and a read for each name, also of objects that were disposed of.
   */
  public CloseableIterator<ListedObject> list(String prefix) {
    checkUse("list");
    return new ObjectListing(
        ObjectKeys.names(options.store, prefix),
        name -> waited(name, openings.found(name)).map(ObjectLifecycle.Found::root));
  }

  /**
   * Registers a type, so that references to objects of this type, found in the states and results
   * of other objects, can be resolved. Opening an object also registers its type.
   */
  public void register(ObjectType<?> type) {
    references.register(type);
  }

  /**
   * Completes when the object may have changed since this call, or after {@code atMost}. To wait
   * for a condition: call this method first, then read the object; if the condition does not hold,
   * wait for the returned stage.
   */
  public CompletionStage<Void> changed(Object proxy, Duration atMost) {
    return sessionOf(proxy).changed(atMost, null);
  }

  /**
   * As {@link #changed(Object, Duration)}, except for changes that are known not to matter, which
   * saves each waiting caller a read.
   *
   * @param matters gets a copy of the state, on the executor; not called where the state was not
   *     reported, or is not in the root entry
   */
  @SuppressWarnings("unchecked") // the state has the type of the proxy
  public <T> CompletionStage<Void> changed(
      T proxy, Duration atMost, ReportTest<? super T> matters) {
    return sessionOf(proxy).changed(atMost, (ReportTest<Object>) matters);
  }

  /**
   * The id of the session through which this process makes the calls of {@code proxy}, for
   * components that build on the factory. Another opening of the object may have another session.
   */
  public UUID sessionId(Object proxy) {
    return sessionOf(proxy).id;
  }

  private static AtomicObjectSession sessionOf(Object proxy) {
    if (proxy instanceof AtomicObjectProxy atomicObjectProxy
        && atomicObjectProxy.$ensembleCaller() instanceof ObjectHandle handle) {
      return handle.session();
    }
    throw new IllegalArgumentException("expected a proxy that was opened by a factory");
  }

  /**
   * Whether the store reports changes. Where it does not, this process reads an object again and
   * again while a stage of {@link #changed} is not complete.
   */
  public boolean hasEvents() {
    return sessionRegistry.hasEvents();
  }

  /**
   * Returns a codec for values of these classes, and of the classes reachable from them. It writes
   * values as the objects of this factory are written, with references to objects. Intended for
   * components that build on the factory and store values.
   */
  public ValueCodec values(Class<?>... classes) {
    return ValueCodec.of(ReachableClasses.from(classes), references);
  }

  /** The store of the objects, for components that build on the factory. */
  public ObjectStore store() {
    return options.store;
  }

  /** The maximum time of a call. */
  public Duration timeout() {
    return options.timeout;
  }

  /**
   * The executor and timer of the factory, for components that build on it. Not usable after the
   * factory was closed.
   */
  public TimedExecutor clockwork() {
    return timedExecutor;
  }

  /**
   * Closes everything that is open in this factory, when its calls have ended or after the timeout;
   * if the thread is interrupted, without waiting. Later calls are refused. The store stays open.
   */
  @Override
  public void close() {
    if (threads.close()) {
      return;
    }
    try {
      BlockingWait.of(sessionRegistry.closeAll(options.timeout));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      threads.stop();
    }
  }

  /** Also used while the factory closes: calls in progress may resolve references. */
  <T> JavaStateMachine<T> machine(ObjectType<T> type) {
    return references.machine(type, options.layout.resultBytes());
  }

  /** Releases a handle the first time; later calls have no effect. */
  CompletionStage<Void> release(ObjectHandle handle) {
    return handle.close()
        ? sessionRegistry.release(handle.session(), options.timeout)
        : CompletableFuture.completedFuture(null);
  }

  <T> CompletionStage<ObjectHandle> opened(
      String name, JavaStateMachine<T> machine, boolean sequential) {
    return openings.opened(name, machine, sequential);
  }

  private static <T> T proxy(ObjectHandle handle, JavaStateMachine<T> machine) {
    return Proxies.of(machine, handle);
  }

  void checkUse(String method) {
    threads.checkOpen();
    MethodContext.check("AtomicObjectFactory", method);
  }

  private static <T> T waited(String name, CompletionStage<T> stage) {
    try {
      return BlockingWait.of(stage);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtomicObjectException.CallUnknown("interrupted while waiting", name);
    }
  }
}
