package io.ensemble.cli.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.cache.adapter.EncodedCache.EncodedEntry;
import io.ensemble.cache.adapter.EncodedCache.EncodedScan;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.CliRunner;
import io.ensemble.cli.backup.BackupRun.BackupRequest;
import io.ensemble.cli.backup.RestoreRun.RestoreReport;
import io.ensemble.cli.backup.RestoreRun.RestoreRequest;
import io.ensemble.cli.backup.RestoreRun.RestoredCache;
import io.ensemble.cli.backup.format.BackupDirectory;
import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.cli.backup.format.BackupManifest;
import io.ensemble.cli.backup.format.BackupManifest.BackupConsistency;
import io.ensemble.cli.backup.format.BackupManifest.CacheBackup;
import io.ensemble.cli.backup.format.BackupManifest.VersionedBackup;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.StoredBackup;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.sync.Synchronizers;
import io.ensemble.site.Bytes;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Caches are copied from one federation to another, at other sites, while they are written. */
@Timeout(180)
class BackupIT {

  private static final int ENTRIES = 120;
  private static final int KEYS = 6;
  private static final long FAR_AHEAD_MICROS =
      ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse("2100-01-01T00:00:00Z"));

  @TempDir static Path directory;
  private static RunningFederation source;
  private static RunningFederation target;
  private static CliRunner from;
  private static CliRunner to;
  private static FederationConnection sourceConnection;
  private static FederationConnection targetConnection;
  private static EnsembleCacheManager sourceManager;
  private static EnsembleCacheManager targetManager;

  @BeforeAll
  static void up() {
    from = new CliRunner(FederationFile.at(directory.resolve("source.json")));
    to = new CliRunner(FederationFile.at(directory.resolve("target.json")));
    source = RunningFederation.start(from.file().claim(), LocalPlan.embedded(3, 1), line -> {});
    target = RunningFederation.start(to.file().claim(), LocalPlan.embedded(1, 1), line -> {});
    sourceConnection = FederationConnection.connect(from.file().read(), null);
    targetConnection = FederationConnection.connect(to.file().read(), null);
    sourceManager = sourceConnection.manager();
    targetManager = targetConnection.manager();
  }

  @AfterAll
  static void down() {
    sourceConnection.close();
    targetConnection.close();
    source.close();
    target.close();
  }

  /** Keeps writing until it is closed; the writes of a key are 1, 2, 3 and so on. */
  private record BackgroundWriter(AtomicBoolean ended, CompletableFuture<Void> run)
      implements AutoCloseable {

    static BackgroundWriter start(Runnable write) {
      AtomicBoolean ended = new AtomicBoolean();
      CompletableFuture<Void> run = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  while (!ended.get()) {
                    write.run();
                  }
                  run.complete(null);
                } catch (RuntimeException | Error failure) {
                  run.completeExceptionally(failure);
                }
              });
      thread.start();
      return new BackgroundWriter(ended, run);
    }

    @Override
    public void close() {
      ended.set(true);
      run.orTimeout(60, TimeUnit.SECONDS).join();
    }
  }

  @Test
  void cachesOfEachModeAreRestoredAtOtherSites() throws IOException {
    List<String> caches = List.of("weak", "swmr", "mwmr", "sharded");
    EnsembleCache<Object, Object> weak = created("weak", Mode.WEAK);
    EnsembleCache<Object, Object> swmr = created("swmr", Mode.SWMR);
    EnsembleCache<Object, Object> mwmr = created("mwmr", Mode.MWMR);
    sourceManager.createSharded(definition("sharded", Mode.MWMR), 3);
    for (String part : List.of("d.one", "d.two")) {
      created(part, Mode.WEAK);
    }
    EnsembleCache<Object, Object> distributed =
        sourceManager.createDistributed(DistributedDefinition.of("d", "d.one", "d.two"));
    EnsembleCache<Object, Object> sharded = sourceManager.getCache("sharded");
    List.of(weak, swmr, mwmr, sharded, distributed).forEach(BackupIT::fill);
    mwmr.put("part/7", "no part of a history");
    mwmr.put("object/of-a-user", "no object");
    AtomicInteger count = new AtomicInteger();
    Path backup = directory.resolve("modes");
    swmr.put("moving", 0); // This process is the writer.

    int before;
    int after;
    try (BackgroundWriter writer =
        BackgroundWriter.start(
            () -> {
              int next = count.get() + 1;
              List.of(weak, swmr, mwmr, sharded).forEach(cache -> cache.put("moving", next));
              count.set(next);
            })) {
      before = count.get();
      CliResult created =
          from.run(
              "backup",
              "create",
              backup.toString(),
              "--cache",
              "weak",
              "--cache",
              "swmr",
              "--cache",
              "mwmr",
              "--cache",
              "sharded",
              "--cache",
              "d",
              "--json");
      assertThat(created.code()).as(created.err()).isZero();
      assertThat(created.json().get("complete").asBoolean()).isTrue();
      after = count.get() + 1;
    }

    assertThat(CliResult.ensemble("backup", "verify", backup.toString()).out())
        .startsWith("intact: ");
    to.refused(ExitCode.USAGE, "no site oslo,rome", "restore", backup.toString());
    assertThat(targetManager.getCacheNames()).doesNotContainAnyElementsOf(caches);
    CliResult restored = to.run("restore", backup.toString(), "--sites", "lyon", "--json");
    assertThat(restored.code()).as(restored.err()).isZero();
    for (String name : caches) {
      Map<Bytes, EncodedEntry> expected = entries(sourceManager, name);
      Map<Bytes, EncodedEntry> found = entries(targetManager, name);
      assertThat(targetManager.<Object, Object>getCache(name).definition().siteNames())
          .containsExactly("lyon");
      assertThat((Integer) targetManager.<Object, Object>getCache(name).get("moving"))
          .as("a value that the key had during the backup")
          .isBetween(before, after);
      Bytes moving = key("moving");
      expected.remove(moving);
      found.remove(moving);
      assertThat(found).as(name).isEqualTo(expected).hasSizeGreaterThanOrEqualTo(ENTRIES);
      assertThat(found.values().stream().filter(entry -> entry.expiryMicros() > 0))
          .hasSize(ENTRIES / 2);
    }
    EnsembleCache<Object, Object> restoredDistributed = targetManager.getCache("d");
    assertThat(restoredDistributed.size()).isEqualTo(ENTRIES);
    assertThat(restoredDistributed.get("k1")).isEqualTo(distributed.get("k1"));
    assertThat(targetManager.shards("sharded")).hasSize(3);
    assertThat(targetManager.<Object, Object>getCache("mwmr").get("part/7"))
        .isEqualTo("no part of a history");

    JsonNode again = to.run("restore", backup.toString(), "--sites", "lyon", "--json").json();

    for (JsonNode one : again.get("caches")) {
      assertThat(one.get("written").asLong()).isZero();
      assertThat(one.get("created").asBoolean()).isFalse();
      assertThat(one.get("present").asLong()).isPositive();
    }
    conflictsFollowThePolicy(backup);
    expiredEntriesAreLeftOut(backup);
  }

  private static void conflictsFollowThePolicy(Path backup) {
    EnsembleCache<Object, Object> cache = targetManager.getCache("mwmr");
    Object former = cache.get("k1");
    cache.put("k1", "another");
    Map<String, String> mwmr = Map.of("mwmr", "mwmr");

    assertThatThrownBy(() -> restored(backup, mwmr, ConflictPolicy.FAIL))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("another value or lifespan");
    assertThat(cache.get("k1")).isEqualTo("another");
    assertThat(restored(backup, mwmr, ConflictPolicy.SKIP).caches().get(0).skipped()).isOne();
    assertThat(cache.get("k1")).isEqualTo("another");
    restored(backup, mwmr, ConflictPolicy.OVERWRITE);
    assertThat(cache.get("k1")).isEqualTo(former);
    assertThatThrownBy(() -> restored(backup, Map.of("weak", "mwmr"), ConflictPolicy.FAIL))
        .hasMessageContaining("must be in mode WEAK");
    assertThatThrownBy(() -> restored(backup, Map.of("d", "e"), ConflictPolicy.FAIL))
        .hasMessageContaining("keep their names");
    assertThatThrownBy(
            () -> restored(backup, Map.of("weak", "swmr", "swmr", "swmr"), ConflictPolicy.FAIL))
        .hasMessageContaining("the same name");
  }

  private static void expiredEntriesAreLeftOut(Path backup) {
    RestoreReport report =
        new RestoreRun(
                targetManager, new BackupDirectory(backup), () -> FAR_AHEAD_MICROS, line -> {})
            .run(
                new RestoreRequest(Map.of("weak", "later"), List.of("lyon"), ConflictPolicy.FAIL),
                List.of("lyon"));

    RestoredCache later = report.caches().get(0);
    assertThat(later.expired()).isEqualTo(ENTRIES / 2);
    assertThat(later.written()).isEqualTo(ENTRIES / 2 + 1);
    assertThat(targetManager.getCache("later").size()).isEqualTo(ENTRIES / 2 + 1);
  }

  @Test
  void aVersionedCacheIsCopiedAsOfOneMoment() {
    EnsembleCache<String, byte[]> store = sourceManager.createCache(definition("store", Mode.MWMR));
    store.put("plain", new byte[] {1});
    Path backup = directory.resolve("versions");
    BackupManifest manifest;
    Map<String, List<Versioned<HybridTime, String>>> all = new TreeMap<>();
    HybridTimes space = new HybridTimes();
    HybridTime cut;
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(store));
        VersionedCache<String, String, HybridTime> versions = versions(factory, space)) {
      for (int i = 0; i < KEYS; i++) {
        for (int n = 0; n < 40; n++) { // More than a page.
          versions.add("k" + i, "value " + n);
        }
      }
      versions.remove("k0");
      AtomicInteger written = new AtomicInteger();
      AtomicInteger afterCut = new AtomicInteger();
      try (BackgroundWriter writer =
          BackgroundWriter.start(
              () -> {
                int n = written.incrementAndGet();
                versions.add("k" + n % KEYS, "moving " + n);
              })) {
        manifest =
            backedUp(
                backup,
                List.of("store"),
                line -> {
                  if (line.contains("history, as of ")) { // Before any key is read.
                    // A cut is ahead of the clocks, by their skew.
                    HybridTime later = new HybridTime(System.currentTimeMillis() + 30_000, 0);
                    for (int i = 0; i < KEYS; i++) {
                      versions.put("k" + i, "after the cut", later);
                      afterCut.incrementAndGet();
                    }
                    versions.put("new after the cut", "value", later);
                  }
                });
      }
      assertThat(afterCut).hasValue(KEYS);
      VersionedBackup copied = manifest.caches().get(0).versioned().get(0);
      assertThat(copied.consistency()).isEqualTo(BackupConsistency.CUT);
      assertThat(copied.keys()).isEqualTo(KEYS);
      cut = space.read(HexFormat.of().parseHex(copied.cut()));
      for (int i = 0; i < KEYS; i++) {
        all.put("k" + i, versions.getRange("k" + i, space.initial(), cut));
      }
    }
    assertThat(manifest.caches().get(0).entries()).as("entries beside the versions").isEqualTo(1);

    restored(backup, Map.of("store", "store"));
    RestoreReport again = restored(backup, Map.of("store", "store"));

    assertThat(again.caches().get(0).written()).isZero();
    EnsembleCache<String, byte[]> there = targetManager.getCache("store");
    assertThat(there.get("plain")).containsExactly(1);
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(there));
        VersionedCache<String, String, HybridTime> versions =
            versions(factory, new HybridTimes())) {
      assertThat(versions.get("new after the cut")).isNull();
      assertThat(versions.retention()).isEqualTo(Retention.versions(1_000));
      for (int i = 0; i < KEYS; i++) {
        List<HybridTime> found = versions.versions("k" + i, null, null, 10_000, false);
        assertThat(versions.getRange("k" + i, space.initial(), cut)).isEqualTo(all.get("k" + i));
        assertThat(found).as("nothing above the cut").hasSameSizeAs(all.get("k" + i));
        assertThat(versions.add("k" + i, "later")).isGreaterThan(cut);
      }
    }
  }

  @Test
  void versionsByTimestampsAreRestoredAsTheyWere() {
    EnsembleCache<String, byte[]> store =
        sourceManager.createCache(definition("counted", Mode.MWMR));
    Path backup = directory.resolve("timestamps");
    Map<String, List<Versioned<Long, String>>> all = new TreeMap<>();
    BackupManifest manifest;
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(store));
        VersionedCache<String, String, Long> versions = timestamps(factory)) {
      versions.put("early", "seven", 7L);
      versions.put("early", "far ahead of all clocks", Long.MAX_VALUE / 4);
      for (int n = 0; n < 40; n++) { // More than a page.
        versions.add("many", "value " + n);
      }
      versions.remove("many");
      for (String key : List.of("early", "many")) {
        all.put(key, versions.getRange(key, 0L, Long.MAX_VALUE / 2));
      }
      manifest = backedUp(backup, List.of("counted"), line -> {});
      versions.put("later", "no snapshot refuses it", 8L);
    }
    VersionedBackup copied = manifest.caches().get(0).versioned().get(0);
    assertThat(copied.consistency()).isEqualTo(BackupConsistency.EACH_KEY);
    assertThat(copied.cut()).isNull();
    assertThat(copied.versions()).isEqualTo(43);

    restored(backup, Map.of("counted", "counted"));

    EnsembleCache<String, byte[]> there = targetManager.getCache("counted");
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(there));
        VersionedCache<String, String, Long> versions = timestamps(factory)) {
      all.forEach(
          (key, expected) ->
              assertThat(versions.getRange(key, 0L, Long.MAX_VALUE / 2)).isEqualTo(expected));
      assertThat(versions.get("many")).as("its last version is a removal").isNull();
    }
    RestoreReport again = restored(backup, Map.of("counted", "counted"));
    assertThat(again.caches().get(0).written()).isZero();
  }

  private static VersionedCache<String, String, Long> timestamps(AtomicObjectFactory factory) {
    return VersionedCache.builder(
            factory, "counts", BinaryCodec.TEXT, BinaryCodec.TEXT, new Timestamps(() -> 0))
        .open();
  }

  private static VersionedCache<String, String, HybridTime> versions(
      AtomicObjectFactory factory, HybridTimes space) {
    return VersionedCache.builder(factory, "history", BinaryCodec.TEXT, BinaryCodec.TEXT, space)
        .shardSize(50)
        .deltas()
        .retention(Retention.versions(1_000))
        .open();
  }

  @Test
  void anInterruptedBackupContinuesWithTheMissingCaches() throws IOException {
    EnsembleCache<Object, Object> first = created("r-first", Mode.WEAK);
    first.put("k", "v");
    EnsembleCache<Object, Object> second = created("r-second", Mode.WEAK);
    Map<Object, Object> many = new TreeMap<>();
    for (int i = 0; i < 1_100; i++) {
      many.put("k" + i, i);
    }
    second.putAll(many);
    Path backup = directory.resolve("resumed");
    List<String> names = List.of("r-first", "r-second");

    assertThatThrownBy(
            () ->
                backedUp(
                    backup,
                    names,
                    line -> {
                      if (line.contains("entries")) {
                        throw new IllegalStateException("killed");
                      }
                    }))
        .hasMessage("killed");

    Path killed = backup.resolve("cache-0002");
    assertThat(killed).isNotEmptyDirectory();
    Path leftOver = Files.writeString(killed.resolve("entries-000099.records.tmp"), "cut off");
    CliResult verified = CliResult.ensemble("backup", "verify", backup.toString());
    assertThat(verified.code()).isEqualTo(ExitCode.FAILED);
    assertThat(verified.err()).contains("not complete");
    assertThat(CliResult.ensemble("backup", "list", backup.toString()).out())
        .contains("not complete", "r-first")
        .doesNotContain("r-second");
    refused(from, "continue it with --resume", "backup", "create", backup.toString());
    second.put("k0", "after the interruption");

    CliResult resumed = from.run("backup", "create", backup.toString(), "--resume", "--json");

    assertThat(resumed.code()).as(resumed.err()).isZero();
    BackupManifest manifest = load(backup);
    assertThat(manifest.runs()).isEqualTo(2);
    assertThat(manifest.caches()).extracting(CacheBackup::name).isEqualTo(names);
    assertThat(manifest.caches().get(1).entries()).isEqualTo(1_100);
    assertThat(manifest.caches().get(0).ended()).isLessThan(manifest.caches().get(1).begun());
    assertThat(leftOver).doesNotExist();
    assertThat(CliResult.ensemble("backup", "verify", backup.toString()).code()).isZero();
    restored(backup, Map.of());
    assertThat(targetManager.getCache("r-second").get("k0")).isEqualTo("after the interruption");

    Path file = backup.resolve(manifest.caches().get(1).files().get(0).name());
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    CliResult damaged = CliResult.ensemble("backup", "verify", backup.toString(), "--json");
    assertThat(damaged.code()).isEqualTo(ExitCode.FAILED);
    assertThat(damaged.json().get("problems")).hasSize(1);
    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(() -> restored(backup, Map.of("r-second", "never")))
        .withMessageContaining("nothing was restored");
    assertThat(targetManager.getCacheNames()).doesNotContain("never");
  }

  @Test
  void aCacheThatCannotBeCopiedIsRefusedByName() {
    sourceManager.createCache(
        CacheDefinition.of("siblings", Mode.WEAK).sites("lyon").siblings(4).build());
    EnsembleCache<String, byte[]> objects =
        sourceManager.createCache(definition("objects", Mode.MWMR));
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(objects))) {
      Synchronizers.on(factory).counter("c").incrementAndGet();
    }
    assertThatThrownBy(() -> backedUp(directory.resolve("no"), List.of("siblings"), line -> {}))
        .hasMessageContaining("'siblings' keeps siblings; leave them out with --exclude");
    assertThat(directory.resolve("no")).as("nothing was written").doesNotExist();
    refused(
        from,
        "'siblings' keeps siblings",
        "backup",
        "create",
        directory.resolve("no").toString(),
        "--cache",
        "siblings");
    assertThat(directory.resolve("no")).as("nothing was written").doesNotExist();
    EnsembleCache<Object, Object> plain = created("plain", Mode.WEAK);
    plain.put("k", "v");
    Path rest = directory.resolve("rest");
    assertThatThrownBy(() -> backedUp(rest, List.of("plain", "objects"), line -> {}))
        .hasMessageContaining("atomic objects are not copied")
        .hasMessageContaining("cache=objects object=c")
        .hasMessageContaining("--exclude objects");
    CliResult resumed =
        from.run("backup", "create", rest.toString(), "--resume", "--exclude", "objects");
    assertThat(resumed.code()).as(resumed.err()).isZero();
    assertThat(load(rest).caches()).extracting(CacheBackup::name).containsExactly("plain");
    from.refused(
        ExitCode.USAGE,
        "no cache 'absent'",
        "backup",
        "create",
        directory.resolve("absent").toString(),
        "--cache",
        "absent");
    assertThat(CliResult.ensemble("backup", "verify", directory.resolve("absent").toString()).err())
        .contains("there is no backup: manifest.json is missing");
    sourceManager.deleteCache("objects");
    sourceManager.deleteCache("siblings");
  }

  /** As the method of the runner, for a command that has shown progress before it fails. */
  private static void refused(CliRunner federation, String why, String... arguments) {
    CliResult ran = federation.run(arguments);
    assertThat(ran.code()).isNotZero();
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err().lines().filter(line -> line.startsWith("ensemble: ")))
        .singleElement()
        .asString()
        .contains(why);
  }

  private static BackupManifest backedUp(
      Path backup, List<String> names, Consumer<String> progress) {
    try (BackupStore store = new BackupDirectory(backup)) {
      return new BackupRun(sourceManager, store, "ensemble test", Instant::now, progress)
          .run(new BackupRequest(names, List.of(), false, 2_000));
    }
  }

  private static BackupManifest load(Path backup) {
    return new StoredBackup(new BackupDirectory(backup)).load();
  }

  private static RestoreReport restored(Path backup, Map<String, String> names) {
    return restored(backup, names, ConflictPolicy.FAIL);
  }

  private static RestoreReport restored(
      Path backup, Map<String, String> names, ConflictPolicy policy) {
    return new RestoreRun(
            targetManager,
            new BackupDirectory(backup),
            () -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
            line -> {})
        .run(new RestoreRequest(names, List.of("lyon"), policy), List.of("lyon"));
  }

  private static CacheDefinition definition(String name, Mode mode) {
    return CacheDefinition.of(name, mode)
        .sites("lyon", "oslo", "rome")
        .deadline(Duration.ofSeconds(60)) // For a loaded machine.
        .build();
  }

  private static EnsembleCache<Object, Object> created(String name, Mode mode) {
    return sourceManager.createCache(definition(name, mode));
  }

  /** Strings, arrays and numbers; every second entry has a lifespan. */
  private static void fill(EnsembleCache<Object, Object> cache) {
    List<CompletableFuture<Object>> writes = new ArrayList<>();
    for (int i = 0; i < ENTRIES; i++) {
      Object key = i % 3 == 0 ? Long.valueOf(i) : "k" + i;
      Object value = i % 5 == 0 ? new byte[i] : i % 5 == 1 ? Instant.ofEpochSecond(i) : "v" + i;
      writes.add(
          i % 2 == 0 ? cache.putAsync(key, value) : cache.putAsync(key, value, i, TimeUnit.HOURS));
    }
    writes.forEach(CompletableFuture::join);
  }

  private static Map<Bytes, EncodedEntry> entries(EnsembleCacheManager manager, String name) {
    Map<Bytes, EncodedEntry> entries = new HashMap<>();
    try (EncodedScan scan = manager.encoded(name).scan()) {
      List<EncodedEntry> batch = scan.next().toCompletableFuture().join();
      while (!batch.isEmpty()) {
        batch.forEach(entry -> entries.put(entry.key(), entry));
        batch = scan.next().toCompletableFuture().join();
      }
    }
    return entries;
  }

  private static Bytes key(String name) {
    byte[] text = name.getBytes(UTF_8);
    byte[] key = new byte[text.length + 1];
    key[0] = 2; // The form of a string in io.ensemble.codec.Codec.
    System.arraycopy(text, 0, key, 1, text.length);
    return Bytes.of(key);
  }
}
