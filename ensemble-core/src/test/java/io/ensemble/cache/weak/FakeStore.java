package io.ensemble.cache.weak;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** One client's connection to a {@link FakeSiteMemory}, with a delay and faults of its own. */
final class FakeStore implements SiteStore {

  final FakeSiteMemory site;
  private final WeakManualScheduler scheduler;

  /** The requests so far, by method name such as "getAndPut". */
  final List<String> requests = new ArrayList<>();

  /** The answers to all requests. */
  private final List<CompletableFuture<?>> unanswered = new ArrayList<>();

  Duration delay = Duration.ofMillis(1);

  /** Whether the site is {@link FakeSiteMemory.Mode#SILENT} for this client only. */
  boolean cut;

  /** The modes of the next requests, one each; later requests use the mode of the site. */
  final List<FakeSiteMemory.Mode> next = new ArrayList<>();

  /** The error that requests throw instead of an answer; null for none. */
  Error broken;

  /** How many of the next conditional writes are performed and answered with false. */
  int lies;

  FakeStore(FakeSiteMemory site, WeakManualScheduler scheduler) {
    this.site = site;
    this.scheduler = scheduler;
  }

  @Override
  public String site() {
    return site.name;
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return request("read", deadline, () -> Optional.ofNullable(site.entries.get(key)));
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return request(
        "putIfAbsent", deadline, () -> conditional(!site.entries.containsKey(key), key, value));
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return request("replace", deadline, () -> conditional(has(key, version), key, value));
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return request("remove", deadline, () -> has(key, version) && site.entries.remove(key) != null);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return request(
        "put",
        deadline,
        () -> {
          site.store(key, value);
          return null;
        });
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return request(
        "getAndPut",
        deadline,
        () -> {
          Optional<Bytes> before =
              Optional.ofNullable(site.entries.get(key)).map(StoredEntry::value);
          site.store(key, value);
          return before;
        });
  }

  @Override
  public Scan scan(int batchSize) {
    List<Bytes> keys = new ArrayList<>(site.entries.keySet());
    return new Scan() {
      private int at;

      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        return request(
            "scan",
            deadline,
            () -> {
              List<Item> items = new ArrayList<>();
              while (items.size() < batchSize && at < keys.size()) {
                Bytes key = keys.get(at++);
                StoredEntry entry = site.entries.get(key);
                if (entry != null) {
                  items.add(new Item(key, entry.value()));
                }
              }
              return items;
            });
      }

      @Override
      public void close() {}
    };
  }

  private boolean has(Bytes key, long version) {
    StoredEntry entry = site.entries.get(key);
    return entry != null && entry.version() == version;
  }

  private boolean conditional(boolean met, Bytes key, Bytes value) {
    if (met) {
      site.store(key, value);
    }
    return met && --lies < 0;
  }

  private <T> CompletionStage<T> request(String what, Deadline deadline, Supplier<T> perform) {
    if (broken != null) {
      throw broken;
    }
    requests.add(what);
    CompletableFuture<T> answer = new CompletableFuture<>();
    FakeSiteMemory.Mode forced = next.isEmpty() ? null : next.remove(0);
    unanswered.add(answer);
    long left = Math.max(0, deadline.remainingNanos(scheduler));
    scheduler.after(left, () -> answer.completeExceptionally(failure(Reason.TIMED_OUT)));
    scheduler.after(
        delay.toNanos() / 2,
        () -> {
          FakeSiteMemory.Mode mode =
              cut ? FakeSiteMemory.Mode.SILENT : forced == null ? site.mode : forced;
          if (mode == FakeSiteMemory.Mode.REFUSING) {
            answer.completeExceptionally(
                SiteException.notSent(site.name, Reason.UNREACHABLE, "as the test requires it"));
          } else if (mode == FakeSiteMemory.Mode.GONE || mode == FakeSiteMemory.Mode.BUSY) {
            Reason reason = mode == FakeSiteMemory.Mode.GONE ? Reason.UNREACHABLE : Reason.BUSY;
            answer.completeExceptionally(failure(reason));
          } else if (mode != FakeSiteMemory.Mode.SILENT) {
            T result = perform.get();
            if (mode == FakeSiteMemory.Mode.UP) {
              scheduler.after(delay.toNanos() / 2, () -> answer.complete(result));
            }
          }
        });
    return answer;
  }

  /** Fails all pending requests on the calling thread, as the close of a site does. */
  void close() {
    List.copyOf(unanswered)
        .forEach(answer -> answer.completeExceptionally(failure(Reason.UNREACHABLE)));
  }

  private SiteException failure(Reason reason) {
    return new SiteException(site.name, reason, "as the test requires it");
  }
}
