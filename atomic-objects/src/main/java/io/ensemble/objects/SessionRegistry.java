package io.ensemble.objects;

import io.ensemble.objects.machine.JavaStateMachine;
import io.ensemble.objects.protocol.SafetyRule;
import io.ensemble.objects.protocol.SessionProtocol;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.runtime.ObjectLifecycle;
import io.ensemble.objects.runtime.SessionDriver;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.store.ObjectStore.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open objects of a factory: one session for each object, and store events while any object is
 * open.
 */
final class SessionRegistry {

  private static final Logger LOG = LoggerFactory.getLogger(SessionRegistry.class);

  private final AtomicObjectFactoryBuilder options;
  private final TimedExecutor timedExecutor;
  private final Map<String, AtomicObjectSession> byKey = new HashMap<>();
  private @Nullable CompletableFuture<Optional<AutoCloseable>> events;
  private int open;
  private boolean closed;

  SessionRegistry(AtomicObjectFactoryBuilder options, TimedExecutor timedExecutor) {
    this.options = options;
    this.timedExecutor = timedExecutor;
  }

  /**
   * Returns the session of an object with one more handle; a new session if there is no usable one.
   *
   * @throws IllegalStateException if the factory was closed meanwhile
   */
  synchronized AtomicObjectSession hold(
      String name, ObjectLifecycle.Found found, JavaStateMachine<?> machine) {
    UUID birth = found.root().birth();
    if (closed) {
      throw new IllegalStateException("the factory is closed");
    }
    AtomicObjectSession session = byKey.get(ObjectKeys.root(name));
    if (session == null || session.hasEnded() || !session.birth.equals(birth)) {
      UUID id = UUID.randomUUID();
      session =
          new AtomicObjectSession(
              name, birth, id, machine, driver(name, id, found, machine), this::hasEvents);
      byKey.put(ObjectKeys.root(name), session);
      byKey.put(ObjectKeys.mailboxes(birth), session);
      open++;
      if (events == null) {
        events = watch();
      }
    }
    session.hold();
    return session;
  }

  private SessionDriver driver(
      String name, UUID id, ObjectLifecycle.Found found, JavaStateMachine<?> machine) {
    Set<SafetyRule> rules = EnumSet.allOf(SafetyRule.class);
    long seed = ThreadLocalRandom.current().nextLong();
    RootSizes sizes = machine.type().sizes();
    SessionProtocol course =
        new SessionProtocol(
            machine,
            id,
            found.root().birth(),
            sizes == null ? options.layout : sizes.of(options.layout),
            rules,
            UUID::randomUUID,
            seed);
    course.begin(found.root(), found.token(), timedExecutor.now());
    return new SessionDriver(name, course, options.store, timedExecutor, options.requestTimeout);
  }

  /** Releases a session; the last release closes it. */
  CompletionStage<Void> release(AtomicObjectSession session, Duration atMost) {
    CompletableFuture<Optional<AutoCloseable>> unused = null;
    synchronized (this) {
      if (!session.release()) {
        return CompletableFuture.completedFuture(null);
      }
      byKey.values().removeIf(s -> s == session);
      if (--open == 0) {
        unused = events;
        events = null;
      }
    }
    return stopped(unused).thenCombine(session.close(atMost), (done, closed) -> closed);
  }

  /** Closes all sessions, whatever handles are open. */
  CompletionStage<Void> closeAll(Duration atMost) {
    List<AtomicObjectSession> all;
    CompletableFuture<Optional<AutoCloseable>> unused;
    synchronized (this) {
      closed = true;
      all = byKey.values().stream().distinct().toList();
      byKey.clear();
      open = 0;
      unused = events;
      events = null;
    }
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    ends.add(stopped(unused));
    all.forEach(s -> ends.add(s.close(atMost).toCompletableFuture()));
    return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
  }

  /** Whether the store reports changes; where it does not, sessions poll for waiting callers. */
  boolean hasEvents() {
    CompletableFuture<Optional<AutoCloseable>> now;
    synchronized (this) {
      now = events;
    }
    return now != null
        && now.isDone()
        && !now.isCompletedExceptionally()
        && now.getNow(Optional.empty()).isPresent();
  }

  /**
   * Registering a listener takes at least one round trip. No caller waits for it: events are only
   * hints.
   */
  private CompletableFuture<Optional<AutoCloseable>> watch() {
    return CompletableFuture.supplyAsync(
            () -> options.store.watch(this::handleChange), timedExecutor.executor())
        .exceptionally(
            e -> {
              LOG.warn("No events of atomic objects at present; waiting calls poll for changes", e);
              return Optional.empty();
            });
  }

  /**
   * Unregisters the listener; if its registration is still in progress, when that has ended. The
   * wait for a client that hangs is bounded, since it would otherwise block the closing process
   * forever.
   */
  private CompletableFuture<Void> stopped(
      @Nullable CompletableFuture<Optional<AutoCloseable>> watching) {
    return watching == null
        ? CompletableFuture.completedFuture(null)
        : watching
            .thenAcceptAsync(
                registered -> registered.ifPresent(SessionRegistry::unregister),
                timedExecutor.executor())
            .copy() // The listener is unregistered in any case, however late.
            .orTimeout(options.requestTimeout.toMillis(), TimeUnit.MILLISECONDS)
            .exceptionally(
                e -> {
                  LOG.warn("A store listener may remain, because the store does not answer", e);
                  return null;
                });
  }

  private static void unregister(AutoCloseable registered) {
    try {
      registered.close();
    } catch (Exception e) {
      LOG.debug("A store listener could not be removed", e);
    }
  }

  private void handleChange(Change change) {
    Optional<String> concerned = ObjectKeys.concerned(change.key());
    AtomicObjectSession session;
    synchronized (this) {
      session = concerned.map(byKey::get).orElse(null);
    }
    if (session != null) {
      ObjectKeys.sender(change.key())
          .ifPresentOrElse(
              sender -> session.mail(sender, change.entry()),
              () -> session.changed(change.entry()));
    }
  }
}
