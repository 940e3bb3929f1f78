package io.ensemble.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.CliRunner;
import io.ensemble.cli.backup.BackupRun.BackupRequest;
import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.cli.backup.format.BackupManifest;
import io.ensemble.cli.backup.format.BackupManifest.CacheBackup;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.BackupStoreException;
import io.ensemble.cli.backup.format.StoredBackup;
import io.ensemble.cli.backup.s3.BackupBucket;
import io.ensemble.cli.backup.s3.BucketAddress;
import io.ensemble.cli.backup.s3.BucketSettings;
import io.ensemble.cli.backup.s3.S3ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Backups in a bucket of a real S3 server, which are restored to another federation. */
@Timeout(180)
class BucketBackupIT {

  private static final String BUCKET = "backups";
  private static final int ENTRIES = 1_100;
  private static final String ENDED = "2026-11-28T00:00:00Z";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofSeconds(2);

  @TempDir static Path directory;
  private static S3ServerProcess server;
  private static S3Client client;
  private static RunningFederation source;
  private static RunningFederation target;
  private static CliRunner from;
  private static CliRunner to;
  private static FederationConnection sourceConnection;
  private static FederationConnection targetConnection;
  private static EnsembleCacheManager sourceManager;
  private static EnsembleCacheManager targetManager;

  @BeforeAll
  static void up() throws IOException {
    server = S3ServerProcess.start(directory);
    client = server.client();
    client.createBucket(one -> one.bucket(BUCKET));
    from = new CliRunner(FederationFile.at(directory.resolve("source.json")));
    to = new CliRunner(FederationFile.at(directory.resolve("target.json")));
    source = RunningFederation.start(from.file().claim(), LocalPlan.embedded(1, 1), line -> {});
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
    client.close();
    server.close();
  }

  @Test
  void aBackupIsVerifiedAndRestoredAndADamagedOneIsNot() throws IOException {
    Map<Object, Object> entries = new TreeMap<>();
    for (int i = 0; i < 50; i++) {
      entries.put("k" + i, "value " + i);
    }
    created("plain").putAll(entries);
    String place = "s3://" + BUCKET + "/monday";

    CliResult made = run(from, "backup", "create", place, "--cache", "plain", "--json");

    assertThat(made.code()).as(made.err()).isZero();
    assertThat(names("monday/"))
        .containsExactlyInAnyOrder(
            "cache-0001/entries-000001.records", "manifest.json", "manifest.json.sha256");
    assertThat(run("backup", "verify", place).out()).startsWith("intact: 1 files");
    assertThat(run("backup", "list", place).out()).contains("complete", "plain");
    CliResult again = run(from, "backup", "create", place, "--cache", "plain");
    assertThat(again.code()).isNotZero();
    assertThat(again.err()).contains("holds a complete backup", "prefix=monday");
    CliResult restored = run(to, "restore", place, "--json");
    assertThat(restored.code()).as(restored.err()).isZero();
    assertThat(targetManager.<Object, Object>getCache("plain").getAll(entries.keySet()))
        .isEqualTo(entries);

    String key = "monday/cache-0001/entries-000001.records";
    byte[] bytes = client.getObjectAsBytes(one -> one.bucket(BUCKET).key(key)).asByteArray();
    bytes[bytes.length / 2] ^= 1;
    client.putObject(one -> one.bucket(BUCKET).key(key), RequestBody.fromBytes(bytes));
    CliResult damaged = run("backup", "verify", place);
    assertThat(damaged.code()).isEqualTo(ExitCode.FAILED);
    assertThat(damaged.out()).contains("damaged", "file=cache-0001/entries-000001.records");
    CliResult refused = run(to, "restore", place, "--cache", "plain=never");
    assertThat(refused.code()).isNotZero();
    assertThat(refused.err()).contains("nothing was restored");
    client.deleteObject(one -> one.bucket(BUCKET).key(key));
    assertThat(run("backup", "verify", place).out()).contains("missing: ");
    assertThat(targetManager.getCacheNames()).doesNotContain("never");
  }

  @Test
  void aBackupThatWasKilledBetweenTwoFilesIsResumed() throws IOException {
    created("r-first").put("k", "v");
    fill(created("r-second"));
    String place = "s3://" + BUCKET + "/killed";
    List<String> names = List.of("r-first", "r-second");

    assertThatThrownBy(() -> backedUp(place, names, false, killedAt("entries")))
        .hasMessage("killed");

    assertThat(names("killed/cache-0002/"))
        .as("files of the cache that is not complete")
        .isNotEmpty();
    CliResult verified = run("backup", "verify", place);
    assertThat(verified.code()).isEqualTo(ExitCode.FAILED);
    assertThat(verified.err()).contains("not complete", "--resume");
    assertThat(run("backup", "list", place).out())
        .contains("not complete", "r-first")
        .doesNotContain("r-second");
    assertThat(run(from, "backup", "create", place).err()).contains("continue it with --resume");

    CliResult resumed = run(from, "backup", "create", place, "--resume", "--json");

    assertThat(resumed.code()).as(resumed.err()).isZero();
    BackupManifest manifest = manifest(place);
    assertThat(manifest.runs()).isEqualTo(2);
    assertThat(manifest.caches()).extracting(CacheBackup::name).isEqualTo(names);
    assertThat(manifest.caches().get(1).entries()).isEqualTo(ENTRIES);
    assertThat(names("killed/"))
        .hasSize((int) manifest.allFiles().count() + 2)
        .noneMatch(name -> name.startsWith("cache-0002/"))
        .contains("cache-0001/entries-000001.records", "cache-0002-run-2/entries-000001.records");
    assertThat(run("backup", "verify", place).code()).isZero();
  }

  @Test
  void ofTwoRunsTheLaterOneCompletesTheBackup() throws IOException {
    created("t-first").put("k", "v");
    fill(created("t-second"));
    String place = "s3://" + BUCKET + "/two";
    List<String> names = List.of("t-first", "t-second");

    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(
            () ->
                backedUp(
                    place,
                    names,
                    false,
                    onceAt("entries", () -> backedUp(place, List.of(), true, all -> {}))))
        .withMessageContaining("another run writes this backup");

    assertThat(manifest(place).runs()).isEqualTo(2);
    assertThat(run("backup", "verify", place).code()).isZero();
  }

  @Test
  void ofTwoRunsThatResumeAtOnceOneFails() {
    created("o-first").put("k", "v");
    fill(created("o-second"));
    String place = "s3://" + BUCKET + "/both";
    assertThatThrownBy(
            () -> backedUp(place, List.of("o-first", "o-second"), false, killedAt("entries")))
        .hasMessage("killed");

    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(() -> backedUp(place, List.of(), true, onceAt("records", () -> resumed(place))))
        .withMessageContaining("another run writes this backup");

    assertThat(backedUp(place, List.of(), true, line -> {}).runs()).isEqualTo(3);
    assertThat(run("backup", "verify", place).code()).isZero();
  }

  /** A run that has taken the backup over, and is killed before it copies a cache. */
  private static void resumed(String place) {
    assertThatThrownBy(() -> backedUp(place, List.of(), true, killedAt("cache ")))
        .hasMessage("killed");
  }

  @Test
  void aRunThatWasTakenOverDoesNotCompleteTheBackup() {
    created("c-first").put("k", "v");
    String place = "s3://" + BUCKET + "/over";
    try (BackupStore store = opened(place, TIMEOUT)) {
      assertThatExceptionOfType(BackupException.class)
          .isThrownBy(
              () -> backedUp(store, List.of("c-first"), at(4, () -> resumed(place)), line -> {}))
          .withMessageContaining("another run writes this backup");
    }

    assertThat(names("over/")).doesNotContain("manifest.json");
    assertThat(backedUp(place, List.of(), true, line -> {}).runs()).isEqualTo(3);
    assertThat(run("backup", "verify", place).code()).isZero();
  }

  @Test
  void aRunThatResumesDoesNotReplaceACommit() {
    created("k-first").put("k", "v");
    fill(created("k-second"));
    String place = "s3://" + BUCKET + "/committed";
    assertThatThrownBy(
            () -> backedUp(place, List.of("k-first", "k-second"), false, killedAt("entries")))
        .hasMessage("killed");

    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(
            () -> backedUp(place, List.of(), true, onceAt("records", () -> committed(place))))
        .withMessageContaining("another run writes this backup");

    assertThat(backedUp(place, List.of(), true, line -> {}).ended()).isEqualTo(ENDED);
    assertThat(manifest(place).caches()).extracting(CacheBackup::name).containsExactly("k-first");
    assertThat(run("backup", "verify", place).code()).isZero();
  }

  /** As if the first run had copied all caches that it was asked for. */
  private static void committed(String place) {
    try (BackupStore store = opened(place, TIMEOUT)) {
      StoredBackup backup = new StoredBackup(store);
      backup.savePartial(backup.loadPartial().orElseThrow().ended(ENDED));
    }
  }

  @Test
  void aNewRunDoesNotReplaceABackupThatAnotherHasCompletedMeanwhile() {
    created("n-first").put("k", "v");
    String place = "s3://" + BUCKET + "/meanwhile";
    List<BackupManifest> other = new ArrayList<>();
    Runnable completed = () -> other.add(backedUp(place, List.of("n-first"), false, line -> {}));
    try (BackupStore store = opened(place, TIMEOUT)) {
      assertThatExceptionOfType(BackupException.class)
          .isThrownBy(() -> backedUp(store, List.of("n-first"), at(1, completed), line -> {}))
          .withMessageContaining("holds a complete backup");
    }

    assertThat(other).containsExactly(manifest(place));
    assertThat(names("meanwhile/")).doesNotContain("manifest.partial.json");
    assertThat(run("backup", "verify", place).code()).isZero();
  }

  /** A clock that acts when it is read for this time: a run reads it first and last of all. */
  private static Supplier<Instant> at(int time, Runnable action) {
    AtomicInteger read = new AtomicInteger();
    return () -> {
      if (read.incrementAndGet() == time) {
        action.run();
      }
      return Instant.now();
    };
  }

  private static Consumer<String> onceAt(String word, Runnable action) {
    AtomicBoolean once = new AtomicBoolean();
    return line -> {
      if (line.contains(word) && once.compareAndSet(false, true)) {
        action.run();
      }
    };
  }

  @Test
  void aRunThatWasKilledAfterItsManifestIsFinished() throws IOException {
    created("f-first").put("k", "v");
    String place = "s3://" + BUCKET + "/finished";
    BackupManifest done = backedUp(place, List.of("f-first"), false, line -> {});
    try (BackupStore store = opened(place, TIMEOUT)) {
      store.delete("manifest.json.sha256");
      store.save("manifest.partial.json", store.load("manifest.json").orElseThrow());
    }
    assertThat(run("backup", "verify", place).err()).contains("not complete");

    assertThat(backedUp(place, List.of(), true, line -> {})).isEqualTo(done);
    assertThat(run("backup", "verify", place).code()).isZero();
    assertThat(names("finished/")).doesNotContain("manifest.partial.json");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aServerThatStopsDuringABackupEndsItAndItIsResumed() throws Exception {
    created("s-first").put("k", "v");
    String place = "s3://" + BUCKET + "/stopped";
    try (BackupStore store = opened(place, SHORT)) {
      assertThatExceptionOfType(BackupStoreException.class)
          .isThrownBy(
              () ->
                  backedUp(
                      store,
                      List.of("s-first"),
                      false,
                      line -> {
                        if (line.startsWith("cache 1 of 1: ")) {
                          server.stop();
                        }
                      }))
          .withMessageContaining("cannot write the object")
          .withMessageContaining("bucket=" + BUCKET)
          .withMessageContaining("--resume");
    } finally {
      server.resume();
    }

    CliResult resumed = run(from, "backup", "create", place, "--resume");

    assertThat(resumed.code()).as(resumed.err()).isZero();
    assertThat(run("backup", "verify", place).code()).isZero();
  }

  private static Consumer<String> killedAt(String word) {
    return line -> {
      if (line.contains(word)) {
        throw new IllegalStateException("killed");
      }
    };
  }

  private static BackupManifest backedUp(
      String place, List<String> names, boolean resume, Consumer<String> progress) {
    try (BackupStore store = opened(place, TIMEOUT)) {
      return backedUp(store, names, resume, progress);
    }
  }

  private static BackupManifest backedUp(
      BackupStore store, List<String> names, boolean resume, Consumer<String> progress) {
    return new BackupRun(sourceManager, store, "ensemble test", Instant::now, progress)
        .run(new BackupRequest(names, List.of(), resume, 2_000));
  }

  private static BackupManifest backedUp(
      BackupStore store, List<String> names, Supplier<Instant> clock, Consumer<String> progress) {
    return new BackupRun(sourceManager, store, "ensemble test", clock, progress)
        .run(new BackupRequest(names, List.of(), false, 2_000));
  }

  private static BackupManifest manifest(String place) {
    try (BackupStore store = opened(place, TIMEOUT)) {
      return new StoredBackup(store).load();
    }
  }

  private static BackupStore opened(String place, Duration timeout) {
    return BackupBucket.open(
        BucketAddress.parse(place),
        new BucketSettings(Optional.of(endpoint()), Optional.of("us-east-1"), timeout));
  }

  private static URI endpoint() {
    return server.endpoint();
  }

  private static List<String> names(String prefix) {
    return client.listObjectsV2(all -> all.bucket(BUCKET).prefix(prefix)).contents().stream()
        .map(object -> object.key().substring(object.key().indexOf('/') + 1))
        .toList();
  }

  private static CliResult run(String... arguments) {
    return CliResult.ensemble(withEndpoint(arguments));
  }

  private static CliResult run(CliRunner federation, String... arguments) {
    return federation.run(withEndpoint(arguments).toArray(String[]::new));
  }

  private static List<String> withEndpoint(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--s3-endpoint");
    all.add(endpoint().toString());
    return all;
  }

  private static EnsembleCache<Object, Object> created(String name) {
    return sourceManager.createCache(
        CacheDefinition.of(name, Mode.WEAK).sites("lyon").deadline(TIMEOUT).build());
  }

  private static void fill(EnsembleCache<Object, Object> cache) {
    Map<Object, Object> many = new TreeMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      many.put("k" + i, i);
    }
    cache.putAll(many);
  }
}
