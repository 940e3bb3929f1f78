package io.ensemble.objects;

import io.ensemble.objects.course.Verdict;
import io.ensemble.objects.drive.Driver;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** An object as this process has it open, once for all its handles. */
final class Session {

  /** How many may wait for a change at a time; beyond that they wait by the clock. */
  private static final int MOST_WATCHERS = 10_000;

  final String name;
  final UUID birth;
  private final Driver driver;
  private final List<CompletableFuture<Void>> watchers = new ArrayList<>();
  private boolean closed;
  private int handles;

  Session(String name, UUID birth, Driver driver) {
    this.name = name;
    this.birth = birth;
    this.driver = driver;
  }

  CompletionStage<Verdict> call(byte[] call, boolean readOnly, boolean sequential, Duration time) {
    return readOnly ? driver.read(call, sequential, time) : driver.call(call, time);
  }

  /** The outcome's bytes, or what there is instead of them. */
  byte[] outcome(Verdict verdict) {
    if (verdict instanceof Verdict.Answered answered) {
      if (!answered.outcome().applied()) {
        throw new AtomicObjectException.CallRefused(answered.outcome().reason(), name);
      }
      return answered.outcome().bytes().array();
    }
    if (verdict instanceof Verdict.Refused refused) {
      throw new AtomicObjectException.CallRefused(refused.why(), name);
    }
    if (verdict instanceof Verdict.Unknown unknown) {
      throw new AtomicObjectException.CallUnknown(unknown.why(), name);
    }
    if (verdict instanceof Verdict.Broken broken) {
      throw new AtomicObjectException.ObjectUnreadable(broken.why(), name);
    }
    throw new AtomicObjectException.NoSuchObject(name);
  }

  Executor executor() {
    return driver.executor();
  }

  /** Whether no call can be made in it any more. */
  boolean hasEnded() {
    return driver.hasEnded();
  }

  /** A batch may have been posted, perhaps this one. */
  void mail(UUID sender, Optional<Entry> entry) {
    driver.mail(sender, entry);
  }

  void changed(Optional<Entry> entry) {
    driver.changed(entry);
    tellWatchers(false);
  }

  private void tellWatchers(boolean forTheLastTime) {
    List<CompletableFuture<Void>> told;
    synchronized (watchers) {
      closed |= forTheLastTime;
      told = List.copyOf(watchers);
      watchers.clear();
    }
    told.forEach(this::tell);
  }

  private void tell(CompletableFuture<Void> watcher) {
    try {
      watcher.completeAsync(() -> null, driver.executor());
    } catch (RejectedExecutionException e) {
      watcher.complete(null); // nothing runs any more; who waits must still hear
    }
  }

  CompletionStage<Void> changed(Duration atMost) {
    CompletableFuture<Void> watcher = new CompletableFuture<>();
    synchronized (watchers) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new AtomicObjectException.CallRefused("this object is closed here", name));
      }
      if (watchers.size() < MOST_WATCHERS) {
        watchers.add(watcher);
      }
    }
    driver.after(atMost, () -> watcher.complete(null));
    return watcher.whenComplete(
        (done, failure) -> {
          synchronized (watchers) {
            watchers.remove(watcher);
          }
        });
  }

  synchronized void hold() {
    handles++;
  }

  /** Whether that was the last handle. */
  synchronized boolean release() {
    return --handles == 0;
  }

  CompletionStage<Void> close(Duration atMost) {
    tellWatchers(true);
    return driver.close(atMost);
  }
}
