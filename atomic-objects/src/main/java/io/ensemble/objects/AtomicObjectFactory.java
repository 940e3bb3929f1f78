package io.ensemble.objects;

import io.ensemble.objects.machine.JavaStateMachine;
import io.ensemble.objects.machine.MethodContext;
import io.ensemble.objects.proxy.AtomicObjectProxy;
import io.ensemble.objects.proxy.Proxies;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.value.ReachableClasses;
import io.ensemble.objects.value.ValueCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Creates, opens, closes and disposes of atomic objects: instances of any Java class, shared by
 * name between all processes that have a factory on the same store.
 *
 * <p>An object is used through a proxy. Each method call takes effect once, at one moment between
 * its beginning and its end, for everyone (linearizable), and is durable when it returns: what the
 * store keeps, the object keeps, also when every process that had it open dies. A call costs one
 * compare-and-set on the store, and a read where the object was changed by another process; calls
 * of one process that come together share one. A method marked {@link ReadOnly} costs one read.
 *
 * <p>Calls end with the method's result or exception, or with an {@link AtomicObjectException},
 * whose kind says whether the call was made. Thread-safe. Stages complete on its executor. All
 * methods but {@code async}, {@code register}, {@code changed} and those whose names end in {@code
 * Async} wait, up to the {@link #timeout}; none can be used in a method of an atomic object ({@link
 * NestedCallException}), nor once the factory is closed ({@link IllegalStateException}).
 *
 * <p>D2.6, "Factory of atomic objects", and its appendix A, section IV.
 */
public final class AtomicObjectFactory implements AutoCloseable {

  /** An object that was opened, and whether it was created for it. */
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
    this.timedExecutor = new TimedExecutor(threads.executor(), threads.timer());
    this.sessionRegistry = new SessionRegistry(options, timedExecutor);
    this.openings = new ObjectOpener(this, options, sessionRegistry, timedExecutor);
    this.references = new ObjectTypeRegistry(this);
  }

  /** A factory on {@code store}, with defaults. */
  public static AtomicObjectFactory on(ObjectStore store) {
    return builder(store).build();
  }

  /** Options of a factory on {@code store}. */
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
   * Opens an object that exists.
   *
   * @throws AtomicObjectException.NoSuchObject if it does not
   * @throws AtomicObjectException.OtherType if it is of another type
   */
  public <T> T open(String name, ObjectType<T> type) {
    return waited(name, openAsync(name, type));
  }

  /**
   * Opens an object, creating it if it does not exist.
   *
   * @throws AtomicObjectException.OtherType if it is there, and of another type
   */
  public <T> T openOrCreate(String name, ObjectType<T> type) {
    return waited(name, openOrCreateAsync(name, type));
  }

  /** As {@link #create}, without waiting. */
  public <T> CompletionStage<T> createAsync(String name, ObjectType<T> type) {
    return createAsync(name, type, machine(type).type().initial());
  }

  /** As {@link #createAsync(String, ObjectType)}, with a first state, which is copied. */
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

  /** As {@link #openOrCreate}, without waiting; tells whether it was created. */
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
   * Opens an object that exists, for reads that may be somewhat old: a {@link ReadOnly} method is
   * answered from what this process knows, without asking the store, as long as that is younger
   * than the layout's freshness and no event told of a change. What a thread sees never goes back,
   * and holds its own calls (sequential consistency). All other calls are linearizable.
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
   * Looks at an object without opening it: at a copy of the state, as young as a linearizable read.
   * One read; a second one if the state has an entry of its own, of which those that were read last
   * are kept here. {@code looking} runs on the executor, and keeps what it likes of the copy.
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
   * function runs at once, and makes exactly one call, whose result it returns; in it that is zero,
   * false or null.
   *
   * @return completes with the call's result, or fails as the call would
   */
  public <T, R> CompletionStage<R> async(T proxy, Function<? super T, ? extends R> call) {
    return Proxies.async(proxy, call);
  }

  /**
   * Closes a proxy that this factory opened, after its calls have ended, or the timeout; those that
   * have not ended by then end unknown. The object remains. Closing twice does nothing; nor does
   * closing a proxy that was met as a reference, which is closed with the factory.
   *
   * @throws IllegalArgumentException if it is no such proxy, or another factory's
   */
  public void close(Object proxy) {
    waited(String.valueOf(proxy), closeAsync(proxy));
  }

  /** As {@link #close(Object)}, without waiting. */
  public CompletionStage<Void> closeAsync(Object proxy) {
    if (!(proxy instanceof AtomicObjectProxy atomicObjectProxy)) {
      throw new IllegalArgumentException(
          "a proxy of an atomic object is wanted; got a " + proxy.getClass().getName());
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
   * Ends an object for everyone: calls under way elsewhere may end unknown, later ones find no
   * object. The name is free again; a small entry remains under it, so that fencing tokens go on
   * growing.
   *
   * @return false if there was none
   */
  public boolean dispose(String name) {
    checkUse("dispose");
    return waited(name, openings.disposed(name));
  }

  /** Whether there is an object of that name. */
  public boolean exists(String name) {
    checkUse("exists");
    return waited(name, openings.found(name).thenApply(Optional::isPresent));
  }

  /**
   * Makes a type known, so that references to objects of it can be followed that are met in other
   * objects' states and results. Opening one does so, too.
   */
  public void register(ObjectType<?> type) {
    references.register(type);
  }

  /**
   * Completes when the object may have changed since this was called, or after {@code atMost}. To
   * wait for something: ask for this, look, and if what is wanted is not there, wait for this.
   */
  public CompletionStage<Void> changed(Object proxy, Duration atMost) {
    return sessionOf(proxy).changed(atMost, null);
  }

  /**
   * As {@link #changed(Object, Duration)}, but not for changes of which was told that they do not
   * matter: it spares those who wait a look each time. The look is needed all the same, for what
   * was told may be old, or have been undone.
   *
   * @param matters is shown a copy of the state, on the executor, and may only look at it; not
   *     asked where the state was not told, or is too large for the object's first entry
   */
  @SuppressWarnings("unchecked") // the state is what the proxy stands for
  public <T> CompletionStage<Void> changed(T proxy, Duration atMost, Predicate<? super T> matters) {
    return sessionOf(proxy).changed(atMost, (Predicate<Object>) matters);
  }

  private static AtomicObjectSession sessionOf(Object proxy) {
    if (proxy instanceof AtomicObjectProxy atomicObjectProxy
        && atomicObjectProxy.$ensembleCaller() instanceof ObjectHandle handle) {
      return handle.session();
    }
    throw new IllegalArgumentException("a proxy that was opened by a factory is wanted");
  }

  /** Whether the store tells of changes. Where it does not, {@link #changed} takes its time. */
  public boolean hasEvents() {
    return sessionRegistry.hasEvents();
  }

  /**
   * What writes values of these classes, and of those that can be met from them, as this factory's
   * objects are written, with references to objects: for what is built on it and keeps values.
   */
  public ValueCodec values(Class<?>... classes) {
    return ValueCodec.of(ReachableClasses.from(classes), references);
  }

  /** Where the objects are: for what is built on this. */
  public ObjectStore store() {
    return options.store;
  }

  /** How long a call may take here. */
  public Duration timeout() {
    return options.timeout;
  }

  /** What things run on here: for what is built on a factory. Of no use once that is closed. */
  public TimedExecutor clockwork() {
    return timedExecutor;
  }

  /**
   * Closes everything that is open here, after the calls have ended, or the timeout; of an
   * interrupted thread without waiting. Later calls are refused. The store is left open.
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

  /** Also of a factory that closes: calls that are under way may meet references. */
  <T> JavaStateMachine<T> machine(ObjectType<T> type) {
    return references.machine(type, options.layout.resultBytes());
  }

  /** Gives back what was opened, the first time. */
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
