package io.ensemble.versioning.listen;

import io.ensemble.objects.drive.Unwrapped;
import io.ensemble.versioning.drive.Additions.Stamp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the keys that are due, one after the other and a page at a time, and has told what was
 * found before it looks again. Thread-safe.
 */
final class Looks<K, V, T> {

  private final Source<K, V, T> source;
  private final Ledger ledger;
  private final Teller teller;
  private final Troubles troubles;
  private final VersionListener<K, V, T> listener;
  private final Duration pause;
  private final int page;
  private final Executor executor;
  private boolean begun;
  private boolean looking;

  /**
   * Does nothing yet.
   *
   * @param pause after which a look that failed is made again
   * @param page how many versions are read at a time
   */
  Looks(
      Source<K, V, T> source,
      Ledger ledger,
      Teller teller,
      Troubles troubles,
      VersionListener<K, V, T> listener,
      Duration pause,
      int page) {
    this.source = source;
    this.ledger = ledger;
    this.teller = teller;
    this.troubles = troubles;
    this.listener = listener;
    this.pause = pause;
    this.page = page;
    this.executor = source.clockwork().executor();
  }

  /** From now on keys that are due are looked at. */
  void begin() {
    synchronized (this) {
      begun = true;
    }
    go();
  }

  /** Keys may be due. */
  void go() {
    String name;
    synchronized (this) {
      name = !begun || looking || teller.isClosed() ? null : ledger.next();
      if (name == null) {
        return;
      }
      looking = true;
    }
    look(name);
  }

  private void look(String name) {
    Mark mark = ledger.mark(name);
    Optional<Stamp> before = ledger.seen(name);
    source
        .additions()
        .page(name, mark.sequence(), page)
        .thenApply(found -> Telling.of(mark, found, page))
        .whenCompleteAsync(
            (telling, failure) -> {
              if (failure == null) {
                found(name, before, telling);
              } else {
                failed(name, failure);
              }
            },
            executor);
  }

  private void found(String name, @Nullable Optional<Stamp> before, Telling<T> telling) {
    troubles.end(name);
    List<Teller.Call> calls = telling.steps().stream().map(step -> call(name, step)).toList();
    teller.tell(
        calls,
        () -> {
          ledger.looked(name, before, telling.more());
          ended();
        });
  }

  private Teller.Call call(String name, Telling.Step<T> step) {
    return new Teller.Call(() -> tell(name, step), () -> ledger.told(name, step.then()));
  }

  private void tell(String name, Telling.Step<T> step) {
    K key = source.key().apply(name);
    if (step instanceof Telling.Added<T> added) {
      T version = added.addition().version();
      source.space().saw(version);
      Optional<V> value = added.addition().value().map(source.value());
      listener.added(new NewVersion<>(key, version, value, added.addition().sequence()));
    } else if (step instanceof Telling.Gone<T> gone) {
      listener.missed(new Missed.Gone<>(key, gone.first(), gone.last(), gone.horizon()));
    } else if (step instanceof Telling.OtherHistory<T> other) {
      listener.missed(new Missed.OtherHistory<>(key, other.last()));
    }
  }

  private void failed(String name, Throwable failure) {
    if (source.clockwork().timer().isShutdown()) { // The factory was closed before the cache.
      teller.close();
      return;
    }
    troubles.begin(name, Unwrapped.of(failure));
    if (ledger.failed(name)) {
      Repeated.later(
          source.clockwork(),
          pause,
          () -> {
            ledger.again();
            go();
          });
    }
    ended();
  }

  private void ended() {
    synchronized (this) {
      looking = false;
    }
    go();
  }
}
