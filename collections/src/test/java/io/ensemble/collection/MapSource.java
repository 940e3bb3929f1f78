package io.ensemble.collection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A source over a map. Each of its two scans returns each key, so every key is found twice. Reads
 * complete when they are awaited.
 */
final class MapSource implements EntrySource<String, Integer> {

  static final int BATCH = 16;

  final Map<Bytes, Integer> entries = new HashMap<>();

  /** Runs before each batch of a scan and each response of a read. */
  Runnable beforeResponse = () -> {};

  Duration patience = Duration.ZERO;
  final List<Duration> pauses = new ArrayList<>();
  long nanos;

  int failingPasses;
  int failingReads;
  int openScans;
  int closedScans;
  int passes;
  int reads;
  int underWay;
  int mostUnderWay;

  static Bytes encoded(String key) {
    return Bytes.of(key.getBytes(UTF_8));
  }

  static MapSource of(int keys) {
    MapSource source = new MapSource();
    IntStream.range(0, keys).forEach(i -> source.entries.put(encoded("k" + i), i));
    return source;
  }

  @Override
  public String name() {
    return "map";
  }

  @Override
  public long number() {
    return 7;
  }

  @Override
  public List<CollectionSlice> slices(int wanted) {
    return CollectionSlice.ofAll(wanted);
  }

  @Override
  public List<KeyScan> scans(CollectionSlice slice) {
    passes++;
    boolean fails = failingPasses > 0;
    failingPasses -= fails ? 1 : 0;
    return List.of(new MapScan(false), new MapScan(fails));
  }

  private final class MapScan implements KeyScan {

    private final List<Bytes> keys = new ArrayList<>(entries.keySet());
    private final boolean fails;
    private int at;

    MapScan(boolean fails) {
      this.fails = fails;
      openScans++;
    }

    @Override
    public CompletionStage<List<Bytes>> next() {
      beforeResponse.run();
      if (at > 0 && fails) {
        return CompletableFuture.failedFuture(new IllegalStateException("scan failed"));
      }
      int end = Math.min(keys.size(), at + BATCH);
      List<Bytes> batch = List.copyOf(keys.subList(at, end));
      at = end;
      return CompletableFuture.completedFuture(batch);
    }

    @Override
    public void close() {
      openScans--;
      closedScans++;
    }
  }

  /** A read, with its response. */
  private final class MapRead extends CompletableFuture<Optional<Integer>> {

    private final Bytes key;

    private MapRead(Bytes key) {
      this.key = key;
    }

    private void respond() {
      if (isDone()) {
        return;
      }
      underWay--;
      beforeResponse.run();
      if (failingReads > 0) {
        failingReads--;
        completeExceptionally(new IllegalStateException("read failed"));
      } else {
        complete(Optional.ofNullable(entries.get(key)));
      }
    }
  }

  @Override
  public CompletionStage<Optional<Integer>> read(Bytes key) {
    reads++;
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    return new MapRead(key);
  }

  @Override
  public String key(Bytes key) {
    return new String(key.array(), UTF_8);
  }

  @Override
  public <T> T await(Supplier<? extends CompletionStage<T>> call) {
    CompletionStage<T> stage = call.get();
    if (stage instanceof MapRead read) {
      read.respond();
    }
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw (RuntimeException) e.getCause();
    }
  }

  @Override
  public Duration patience() {
    return patience;
  }

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public void pause(Duration length) {
    pauses.add(length);
    nanos += length.toNanos();
  }

  @Override
  public boolean isRepeatable(RuntimeException failure) {
    return failure instanceof IllegalStateException;
  }
}
