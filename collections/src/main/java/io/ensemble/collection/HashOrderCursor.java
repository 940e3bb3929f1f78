package io.ensemble.collection;

import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A cursor in the order of the keys' hashes. A pass collects the next keys; their values are read a
 * bounded number ahead, and returned in order. So memory holds the keys of one pass and the values
 * that are ahead, however large the cache.
 */
final class HashOrderCursor<K, V, R> implements CollectionCursor<R> {

  /** A key whose turn has not come, with the read of its value; null if it is to be sent again. */
  private final class Ahead {
    private final KeyHash hash;
    private final Bytes encoded;
    private @Nullable CompletionStage<Optional<V>> read;

    private Ahead(KeyHash hash, Bytes encoded) {
      this.hash = hash;
      this.encoded = encoded;
    }

    /** Sends the read, unless the filter leaves the key out or fails. */
    private void begin() {
      try {
        if (settings.keys().test(source.key(encoded))) {
          read = source.read(encoded);
        }
      } catch (RuntimeException | Error e) {
        read = CompletableFuture.failedFuture(e); // Thrown when it is the key's turn.
      }
    }
  }

  /** A scan of a pass, with the batch that is requested. */
  private static final class OpenScan {
    private final EntrySource.KeyScan scan;
    private @Nullable CompletionStage<List<Bytes>> requested;

    private OpenScan(EntrySource.KeyScan scan) {
      this.scan = scan;
    }

    private void request() {
      requested = scan.next();
    }

    private CompletionStage<List<Bytes>> batch() {
      return Objects.requireNonNull(requested, "a batch is requested when the scan is opened");
    }
  }

  /** The tries of a pass: a scan waits for nothing, so a pass waits before it begins again. */
  private final class Retry {
    private int failures;
    private long sinceNanos;
    private Duration pause = FIRST_PAUSE;

    /** Waits before the next try; throws {@code failure} if there is none. */
    void after(RuntimeException failure) {
      if (failures == 0) {
        sinceNanos = source.nanos();
      }
      failures++;
      long ends = source.patience().minus(pause).toNanos();
      boolean isInTime = source.nanos() - sinceNanos < ends;
      boolean isLast = failures >= settings.bounds().attempts() && !isInTime;
      if (isLast || !source.isRepeatable(failure)) {
        throw failure;
      }
      source.pause(pause);
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
  }

  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** How many parts are scanned at a time. */
  private static final int SCANS_AT_ONCE = 8;

  /** How many visited keys are between two reports of progress. */
  private static final int VISITS_BETWEEN_REPORTS = 1_000;

  private final EntrySource<K, V> source;
  private final CollectionSettings<K, V> settings;
  private final BiFunction<? super K, ? super V, ? extends R> projection;
  private final Deque<Ahead> window = new ArrayDeque<>();
  private @Nullable NextKeys keys;
  private @Nullable KeyHash done;
  private boolean ended;
  private boolean failedAtEntry;
  private boolean isReportDue;
  private boolean closed;
  private long passes;
  private long scanned;
  private long visited;

  HashOrderCursor(
      EntrySource<K, V> source,
      CollectionSettings<K, V> settings,
      BiFunction<? super K, ? super V, ? extends R> projection) {
    this.source = source;
    this.settings = settings;
    this.projection = projection;
    String from = settings.position();
    if (from != null) {
      CollectionPosition position = CollectionPosition.of(from);
      if (position.number() != source.number() || !position.slice().equals(settings.slice())) {
        throw new IllegalArgumentException(
            "position must be of the same cache and the same slice; cache=%s expected %s got %s"
                .formatted(source.name(), settings.slice(), position.slice()));
      }
      ended = position.ended();
      done = position.done().equals(KeyHash.LOWEST) ? null : position.done();
    }
  }

  @Override
  public Optional<R> next() {
    checkOpen();
    failedAtEntry = false;
    reportIfDue();
    while (true) {
      Ahead head = head();
      if (head == null) {
        return Optional.empty();
      }
      failedAtEntry = true;
      R item = item(head);
      failedAtEntry = false;
      leave(head);
      if (item != null) {
        return Optional.of(item);
      }
    }
  }

  @Override
  public void skip() {
    checkOpen();
    Ahead head = window.peek();
    if (!failedAtEntry || head == null) {
      throw new IllegalStateException("skip() may be called once after next() failed at an entry");
    }
    failedAtEntry = false;
    leave(head);
  }

  private void leave(Ahead head) {
    window.remove();
    done = head.hash;
    visited++;
    isReportDue |= visited % VISITS_BETWEEN_REPORTS == 0;
  }

  /** Before anything else: no item is lost if the listener fails. */
  private void reportIfDue() {
    if (isReportDue) {
      isReportDue = false;
      report();
    }
  }

  /** The first key that is not done, with reads of it and of those behind it; null at the end. */
  private @Nullable Ahead head() {
    while (!ended) {
      fill();
      Ahead head = window.peek();
      if (head != null) {
        return head;
      }
      if (keys != null && !keys.isCut()) {
        ended = true;
        report();
      } else {
        keys = pass();
      }
    }
    return null;
  }

  private void fill() {
    NextKeys next = keys;
    while (next != null && window.size() < settings.bounds().readsAhead()) {
      Map.Entry<KeyHash, Bytes> key = next.poll();
      if (key == null) {
        return;
      }
      Ahead ahead = new Ahead(key.getKey(), key.getValue());
      window.add(ahead); // Also if its filter fails with an error, which is thrown again.
      ahead.begin();
    }
  }

  /** The item of a key; null if the key is absent or left out. */
  private @Nullable R item(Ahead head) {
    K key = source.key(head.encoded);
    if (!settings.keys().test(key)) {
      return null;
    }
    V value = value(head).orElse(null);
    return value == null || !settings.entries().test(key, value)
        ? null
        : projection.apply(key, value);
  }

  private Optional<V> value(Ahead head) {
    for (int attempt = 1; ; attempt++) {
      CompletionStage<Optional<V>> sent = head.read;
      CompletionStage<Optional<V>> read = sent == null ? source.read(head.encoded) : sent;
      head.read = read;
      try {
        return source.await(() -> read);
      } catch (RuntimeException e) {
        head.read = null;
        if (attempt >= settings.bounds().attempts() || !source.isRepeatable(e)) {
          throw e; // A read itself waits until its deadline.
        }
      }
    }
  }

  /** Collects the next keys after the last one that is done. */
  private NextKeys pass() {
    Retry retry = new Retry();
    while (true) {
      try {
        return collect();
      } catch (RuntimeException e) {
        retry.after(e);
      }
    }
  }

  private NextKeys collect() {
    NextKeys found =
        new NextKeys(
            settings.slice(), done, settings.bounds().mostKeys(), settings.bounds().mostKeyBytes());
    Iterator<EntrySource.KeyScan> waiting = source.scans(settings.slice()).iterator();
    Deque<OpenScan> open = new ArrayDeque<>();
    passes++;
    try {
      while (waiting.hasNext() || !open.isEmpty()) {
        while (waiting.hasNext() && open.size() < SCANS_AT_ONCE) {
          OpenScan opened = new OpenScan(waiting.next());
          open.add(opened); // Before its first request, so that it is closed if that fails.
          opened.request();
        }
        OpenScan first = open.element();
        List<Bytes> batch = source.await(first::batch);
        batch.forEach(found::add);
        scanned += batch.size();
        if (batch.isEmpty()) {
          open.remove().scan.close();
        } else {
          first.request();
          open.add(open.remove());
          report();
        }
      }
    } finally {
      open.forEach(one -> one.scan.close());
    }
    return found;
  }

  private void report() {
    settings.progress().accept(progress());
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the cursor is closed; cache=" + source.name());
    }
  }

  @Override
  public String position() {
    return new CollectionPosition(
            source.number(), settings.slice(), done == null ? KeyHash.LOWEST : done, ended)
        .text();
  }

  @Override
  public CollectionProgress progress() {
    CollectionSlice slice = settings.slice();
    double fraction = ended ? 1 : done == null ? 0 : done.fraction(slice.range(), slice.ranges());
    return new CollectionProgress(passes, scanned, visited, fraction);
  }

  @Override
  public void close() {
    closed = true;
    window.clear();
    keys = null;
  }
}
