package io.ensemble.benchmarks.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.store.PlainCache;
import io.ensemble.cache.lease.ReservedKey;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.site.Bytes;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.infinispan.commons.util.CloseableIterator;

/**
 * Question: how many bytes does Ensemble add to an entry at each site?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure envelope}.
 *
 * <p>Rival: a plain {@code RemoteCache}, which stores the key and the value unchanged: 0. Measured
 * on the content of the first site, read by Infinispan's own client: bytes of keys and values
 * stored less those of the user. Values are byte arrays, keys strings. The marker that identifies a
 * replica's store is not counted, because there is one for all entries.
 */
final class EnvelopeSizeBenchmark {

  private static final int ENTRIES = 50;
  private static final int WRITERS = 20;

  /**
   * One line of the answer.
   *
   * @param overheadBytes mean over all entries
   * @param maxOverheadBytes of the entry with the most
   */
  public record Line(
      String mode, String what, int valueBytes, double overheadBytes, int maxOverheadBytes) {}

  private final FederationProcess federation;
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();

  // A store of SWMR also holds the record of its terms, and one writer at a time writes there.
  private static final List<Mode> MODES = List.of(Mode.WEAK, Mode.MWMR);

  private EnvelopeSizeBenchmark(FederationProcess federation) {
    this.federation = federation;
  }

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    EnvelopeSizeBenchmark program = new EnvelopeSizeBenchmark(federation);
    List<Line> lines = new ArrayList<>();
    for (Mode mode : MODES) {
      for (int valueBytes : new int[] {0, 1_000}) {
        benchmarkOptions.say("%s, values of %d bytes", mode, valueBytes);
        lines.addAll(program.lines(mode, valueBytes));
      }
    }
    return new BenchmarkResult(lines, table(lines));
  }

  private List<Line> lines(Mode mode, int valueBytes) {
    byte[] value = new byte[valueBytes];
    CacheDefinition definition =
        CacheDefinition.of(mode + "-" + valueBytes, mode)
            .sites(FederationProcess.SITES.get(0))
            .build();
    List<Line> lines = new ArrayList<>();
    each(definition, 1, (cache, key) -> cache.put(key, value));
    lines.add(line(definition, "written once", valueBytes));
    each(definition, WRITERS, (cache, key) -> cache.put(key, value));
    lines.add(line(definition, "then by " + WRITERS + " other clients", valueBytes));
    long hour = Duration.ofHours(1).toSeconds();
    each(definition, 1, (cache, key) -> cache.put(key, value, hour, TimeUnit.SECONDS));
    lines.add(line(definition, "with a lifespan", valueBytes));
    if (valueBytes == 0) {
      each(definition, 1, EnsembleCache::remove);
      lines.add(line(definition, "removed: a tombstone", 0));
    }
    return lines;
  }

  private interface CacheWrite {
    void to(EnsembleCache<String, byte[]> cache, String key);
  }

  private void each(CacheDefinition definition, int clients, CacheWrite write) {
    for (int client = 0; client < clients; client++) {
      try (CountedClient another = new CountedClient(federation.sites(), definitions)) {
        EnsembleCache<String, byte[]> cache = another.cache(definition);
        for (int i = 0; i < ENTRIES; i++) {
          write.to(cache, "user" + i);
        }
        another.settle();
      }
    }
  }

  private Line line(CacheDefinition definition, String what, int valueBytes) {
    SiteConfiguration site = federation.sites().get(0);
    String store;
    try (CountedClient client = new CountedClient(federation.sites(), definitions)) {
      store =
          client
              .manager()
              .stored(definition.name())
              .flatMap(stored -> stored.store(site.name()))
              .orElseThrow();
    }
    List<Integer> sizes = new ArrayList<>();
    try (PlainCache plain = PlainCache.open(site, store);
        CloseableIterator<Map.Entry<byte[], byte[]>> walk = plain.cache().entrySet().iterator()) {
      walk.forEachRemaining(
          entry -> {
            if (!ReservedKey.isOne(Bytes.of(entry.getKey()))) {
              sizes.add(entry.getKey().length + entry.getValue().length);
            }
          });
    }
    if (sizes.size() != ENTRIES) {
      throw new IllegalStateException(
          "the site stores every entry once; expected=%d found=%d"
              .formatted(ENTRIES, sizes.size()));
    }
    int keyBytes = 0;
    for (int i = 0; i < ENTRIES; i++) {
      keyBytes += ("user" + i).getBytes(UTF_8).length;
    }
    double total = sizes.stream().mapToInt(Integer::intValue).sum();
    double given = keyBytes + (double) ENTRIES * valueBytes;
    int longestKey = ("user" + (ENTRIES - 1)).length();
    int most = sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    return new Line(
        definition.mode().name(),
        what,
        valueBytes,
        Math.round(100 * (total - given) / ENTRIES) / 100.0,
        most - longestKey - valueBytes);
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add("| mode | entry | bytes of the value | bytes added, mean | most |");
    table.add("|---|---|---|---|---|");
    lines.forEach(
        line ->
            table.add(
                String.format(
                    Locale.ROOT,
                    "| %s | %s | %d | **%.1f** | %d |",
                    line.mode(),
                    line.what(),
                    line.valueBytes(),
                    line.overheadBytes(),
                    line.maxOverheadBytes())));
    return table;
  }
}
