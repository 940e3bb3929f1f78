package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.report.SvgFile;
import io.ensemble.benchmarks.versions.PanelPlot.Curve;
import io.ensemble.benchmarks.versions.PanelPlot.Panel;
import io.ensemble.benchmarks.versions.PanelPlot.Point;
import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * Question: what does each operation cost on a key with 1,000, 10,000 or 100,000 versions?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure version-sizes}, in the repository's directory.
 *
 * <p>One client, values of 64 bytes. Requests, round trips and bytes are counted between the cache
 * and its store, and are the same on any machine. Data moved out in the background counts for
 * requests and bytes of the operations that caused it, and not for their round trips and time.
 * Reads are made by the writer of the key, which has its history open, and by a client that never
 * wrote it, with the default copies of entries and without any. An index that does not support so
 * many versions is left out.
 */
public final class VersionCountBenchmark {

  /**
   * The mean cost of an operation.
   *
   * @param who the client that executes it
   * @param bytes in both directions
   */
  public record Line(
      IndexType index,
      int versions,
      ClientKind who,
      int oneWayMillis,
      String operation,
      double trips,
      double requests,
      double bytes,
      double p50Millis,
      double p95Millis) {}

  /** The client that executes an operation. */
  public enum ClientKind {
    /** A client that has written the key, and has its history open. */
    WRITER,
    /** A client that has not written the key. */
    READER,
    /** A client that has not written the key, and keeps no copies. */
    COLD_READER;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private static final String KEY = "page";
  private static final int VALUE_BYTES = 64;
  private static final int RANGE = 100;
  private static final long SPACING = 1L << 20;
  private static final int WARM_UPS = 5;

  private final BenchmarkOptions benchmarkOptions;
  private final VersionTestbed versionTestbed;
  private final List<Line> lines = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();

  private VersionCountBenchmark(BenchmarkOptions benchmarkOptions, VersionTestbed versionTestbed) {
    this.benchmarkOptions = benchmarkOptions;
    this.versionTestbed = versionTestbed;
  }

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    try (VersionTestbed versionTestbed = VersionTestbed.of(benchmarkOptions)) {
      return answer(benchmarkOptions, versionTestbed);
    }
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, VersionTestbed versionTestbed) {
    VersionCountBenchmark sizes = new VersionCountBenchmark(benchmarkOptions, versionTestbed);
    for (int count : benchmarkOptions.versions().counts()) {
      for (IndexType index : IndexType.values()) {
        sizes.measure(index, count);
      }
    }
    sizes.draw("versions-sizes.svg", "median milliseconds", Line::p50Millis);
    sizes.draw("versions-bytes.svg", "bytes", Line::bytes);
    return new BenchmarkResult(sizes.lines, sizes.table());
  }

  /** One operation on the one key. */
  private interface CacheUsage {
    void runOnce(MeasuredVersionedCache cache, SplittableRandom random);
  }

  private record NamedOperation(String name, boolean writes, CacheUsage operation) {}

  /** An existing version: they begin at the first and have equal distances. */
  private static long version(long number) {
    return (number + 1) * SPACING;
  }

  private static List<NamedOperation> operations(int count) {
    int range = Math.min(RANGE, count);
    return List.of(
        new NamedOperation("add", true, (cache, random) -> cache.cache().add(KEY, value(random))),
        new NamedOperation(
            "put late",
            true,
            (cache, random) ->
                cache
                    .cache()
                    .put(
                        KEY,
                        value(random),
                        version(random.nextInt(count - 1)) + 1 + random.nextLong(SPACING - 1))),
        new NamedOperation(
            "latest", false, (cache, random) -> requireFound(cache.cache().latest(KEY))),
        new NamedOperation(
            "get at",
            false,
            (cache, random) ->
                requireFound(cache.cache().get(KEY, version(random.nextInt(count))))),
        new NamedOperation(
            "predecessor",
            false,
            (cache, random) ->
                requireFound(
                    cache.cache().getPredecessor(KEY, version(1 + random.nextInt(count - 1))))),
        new NamedOperation(
            "range of 100",
            false,
            (cache, random) -> {
              int from = random.nextInt(count - range + 1);
              int found =
                  cache.cache().getRange(KEY, version(from), version(from + range - 1)).size();
              if (found < range) {
                throw new IllegalStateException("a range is short: " + found);
              }
            }),
        new NamedOperation(
            "versions, 100",
            false,
            (cache, random) ->
                cache.cache().versions(KEY, version(random.nextInt(count)), null, RANGE, false)),
        new NamedOperation(
            "as of",
            false,
            (cache, random) ->
                requireFound(cache.cache().asOf(KEY, version(random.nextInt(count))))));
  }

  private static void requireFound(Optional<?> answer) {
    if (answer.isEmpty()) {
      throw new IllegalStateException("nothing was found");
    }
  }

  private static byte[] value(SplittableRandom random) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    return value;
  }

  private void measure(IndexType index, int count) {
    benchmarkOptions.say("%s, %,d versions", index, count);
    String name = "sizes-" + index;
    try (MeasuredVersionedCache writer =
            versionTestbed.openEmptyCache(name, VersionedCacheSetup.of(index));
        MeasuredVersionedCache reader =
            versionTestbed.openCache(name, VersionedCacheSetup.of(index));
        MeasuredVersionedCache cold =
            versionTestbed.openCache(name, VersionedCacheSetup.of(index).withoutCopies())) {
      Map<ClientKind, MeasuredVersionedCache> caches =
          Map.of(
              ClientKind.WRITER, writer, ClientKind.READER, reader, ClientKind.COLD_READER, cold);
      if (!load(writer, count)) {
        leftOut.add("%s, %,d versions".formatted(index, count));
        writer.clear();
        return;
      }
      for (NamedOperation named :
          operations(count)) { // A cut must be last: it forbids late versions.
        for (int oneWay : benchmarkOptions.objectPlan().oneWayMillis()) {
          for (ClientKind kind :
              named.writes() ? List.of(ClientKind.WRITER) : List.of(ClientKind.values())) {
            versionTestbed.delay(Duration.ofMillis(oneWay));
            MeasuredVersionedCache cache = Objects.requireNonNull(caches.get(kind));
            lines.add(measure(cache, named, index, count, kind, oneWay));
            versionTestbed.delay(Duration.ZERO);
          }
        }
      }
      writer.clear();
    } finally {
      versionTestbed.delay(Duration.ZERO);
    }
  }

  /** Whether the index supports that many versions. */
  private boolean load(MeasuredVersionedCache cache, int count) {
    SplittableRandom random = new SplittableRandom(count);
    List<Versioned<Long, byte[]>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(new Versioned<>(version(i), Optional.of(value(random))));
    }
    try {
      cache.load(List.of(new KeyHistory(KEY, all)), 1);
      cache.cache().settle(KEY);
      return true;
    } catch (RuntimeException e) {
      benchmarkOptions.say("left out: %s", e.getCause() == null ? e : e.getCause());
      return false;
    }
  }

  private Line measure(
      MeasuredVersionedCache cache,
      NamedOperation named,
      IndexType index,
      int count,
      ClientKind kind,
      int oneWay) {
    SplittableRandom random = new SplittableRandom(named.name().hashCode() * 31L + oneWay);
    for (int i = 0; i < WARM_UPS; i++) {
      named.operation().runOnce(cache, random);
    }
    settle(cache, named);
    CountingStore.RequestTotals unused = cache.store().take();
    int samples = benchmarkOptions.versions().samples();
    Histogram nanos = new Histogram(3);
    long trips = 0;
    long requests = 0;
    long bytes = 0;
    for (int i = 0; i < samples; i++) {
      long begin = System.nanoTime();
      named.operation().runOnce(cache, random);
      nanos.recordValue(System.nanoTime() - begin);
      CountingStore.RequestTotals counted = cache.store().take();
      trips += counted.trips();
      requests += counted.requests();
      bytes += counted.bytes();
    }
    settle(cache, named);
    CountingStore.RequestTotals rest = cache.store().take();
    return new Line(
        index,
        count,
        kind,
        oneWay,
        named.name(),
        (double) trips / samples,
        (double) (requests + rest.requests()) / samples,
        (double) (bytes + rest.bytes()) / samples,
        LatencyDistributions.millis(nanos, 50),
        LatencyDistributions.millis(nanos, 95));
  }

  /** Background work that a write causes counts as the write's. */
  private static void settle(MeasuredVersionedCache cache, NamedOperation named) {
    if (named.writes()) {
      cache.cache().settle(KEY);
    }
  }

  private void draw(String file, String what, ToDoubleFunction<Line> figure) {
    int farthest = lines.stream().mapToInt(Line::oneWayMillis).max().orElse(0);
    List<Panel> panels =
        lines.stream()
            .map(Line::operation)
            .distinct()
            .map(
                operation ->
                    new Panel(
                        "%s: %s, %d ms one way".formatted(operation, what, farthest),
                        curves(operation, farthest, figure)))
            .toList();
    benchmarkOptions.say(
        "drew %s",
        new SvgFile(file, PanelPlot.logarithmic("versions of the key", panels))
            .writeTo(benchmarkOptions.objectPlan().figures()));
  }

  private List<Curve> curves(String operation, int oneWay, ToDoubleFunction<Line> figure) {
    List<Curve> curves = new ArrayList<>();
    for (IndexType index : IndexType.values()) {
      for (ClientKind kind : ClientKind.values()) {
        List<Point> points =
            lines.stream()
                .filter(line -> line.index() == index && line.who() == kind)
                .filter(line -> line.operation().equals(operation) && line.oneWayMillis() == oneWay)
                .map(line -> new Point(line.versions(), Math.max(1e-3, figure.applyAsDouble(line))))
                .toList();
        if (!points.isEmpty()) {
          curves.add(new Curve(index + ", " + kind, points));
        }
      }
    }
    return curves;
  }

  private List<String> table() {
    List<String> table = new ArrayList<>();
    table.add(
        "| operation | index | who | versions | one way ms | round trips | requests | bytes | p50 /"
            + " p95 ms |");
    table.add("|---|---|---|---|---|---|---|---|---|");
    List<String> operations = lines.stream().map(Line::operation).distinct().toList();
    lines.stream()
        .sorted(
            Comparator.comparing((Line line) -> operations.indexOf(line.operation()))
                .thenComparing(Line::index)
                .thenComparing(Line::who)
                .thenComparing(Line::oneWayMillis)
                .thenComparing(Line::versions))
        .forEach(
            line ->
                table.add(
                    String.format(
                        Locale.ROOT,
                        "| %s | %s | %s | %,d | %d | %.2f | %.2f | %,.0f | %.2f / %.2f |",
                        line.operation(),
                        line.index(),
                        line.who(),
                        line.versions(),
                        line.oneWayMillis(),
                        line.trips(),
                        line.requests(),
                        line.bytes(),
                        line.p50Millis(),
                        line.p95Millis())));
    if (!leftOut.isEmpty()) {
      table.add("");
      table.add("Not borne: " + String.join("; ", leftOut.stream().distinct().toList()) + ".");
    }
    return table;
  }
}
