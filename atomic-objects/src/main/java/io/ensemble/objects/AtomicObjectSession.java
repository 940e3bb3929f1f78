package io.ensemble.objects;

import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.protocol.CallResult;
import io.ensemble.objects.runtime.SessionDriver;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** An object that this process has open, shared by all its handles. */
final class AtomicObjectSession {

  final String name;
  final UUID birth;
  final UUID id;
  private final SessionDriver driver;
  private final Watchers watchers;
  private final RootPoller rootPoller;
  private int handles;

  AtomicObjectSession(
      String name,
      UUID birth,
      UUID id,
      StateMachine machine,
      SessionDriver driver,
      BooleanSupplier hasEvents) {
    this.name = name;
    this.birth = birth;
    this.id = id;
    this.driver = driver;
    this.watchers = new Watchers(machine, driver.executor());
    this.rootPoller =
        new RootPoller(
            driver::after,
            driver::refresh,
            () -> watchers.hasAny() && !hasEvents.getAsBoolean() && !driver.hasEnded());
    driver.onRoot(
        root -> {
          rootPoller.recordChange();
          if (!hasEvents.getAsBoolean()) {
            watchers.changed(root);
          }
        });
  }

  CompletionStage<CallResult> call(
      byte[] call, boolean readOnly, boolean sequential, Duration time) {
    return readOnly ? driver.read(call, sequential, time) : driver.call(call, time);
  }

  /** The bytes of the outcome; throws the exception of a call without an outcome. */
  byte[] outcome(CallResult callResult) {
    if (callResult instanceof CallResult.Answered answered) {
      if (!answered.outcome().applied()) {
        throw new AtomicObjectException.CallRefused(answered.outcome().reason(), name);
      }
      return answered.outcome().bytes().array();
    }
    if (callResult instanceof CallResult.Refused refused) {
      throw new AtomicObjectException.CallRefused(refused.why(), name);
    }
    if (callResult instanceof CallResult.Unknown unknown) {
      throw new AtomicObjectException.CallUnknown(unknown.why(), name);
    }
    if (callResult instanceof CallResult.Broken broken) {
      throw new AtomicObjectException.ObjectUnreadable(broken.why(), name);
    }
    throw new AtomicObjectException.NoSuchObject(name);
  }

  Executor executor() {
    return driver.executor();
  }

  /** Whether the session accepts no further call. */
  boolean hasEnded() {
    return driver.hasEnded();
  }

  /**
   * An event reports that {@code sender} may have posted a batch; {@code entry} is the batch, if it
   * is known.
   */
  void mail(UUID sender, Optional<Entry> entry) {
    driver.mail(sender, entry);
  }

  void changed(Optional<Entry> entry) {
    driver.changed(entry);
    watchers.changed(entry);
  }

  /** See {@link AtomicObjectFactory#changed(Object, Duration, ReportTest)}. */
  CompletionStage<Void> changed(Duration atMost, @Nullable ReportTest<Object> matters) {
    Optional<CompletableFuture<Void>> change = watchers.add(matters);
    if (change.isEmpty()) {
      return CompletableFuture.failedFuture(
          new AtomicObjectException.CallRefused("the object was closed by this process", name));
    }
    driver.after(atMost, () -> change.get().complete(null));
    rootPoller.begin();
    return change.get();
  }

  synchronized void hold() {
    handles++;
  }

  /** Releases one handle. True if it was the last one. */
  synchronized boolean release() {
    return --handles == 0;
  }

  CompletionStage<Void> close(Duration atMost) {
    watchers.close();
    return driver.close(atMost);
  }
}
