package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.process.child.JavaProgram;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Disks fill while clients write. Each write is answered or fails with its type. A node whose disk
 * is low does not answer clients until there is room; a node whose store could not write ends.
 * After all nodes were killed and restarted, acknowledged writes are present and refused ones are
 * absent (docs/reliability.md, Disks that fill).
 */
@Timeout(300)
class DiskFullIT {

  private static final int VALUE_CHARS = 8_192;
  private static final int LARGE_VALUE_CHARS = 131_072;
  private static final long RESERVE_BYTES = 16 << 20;

  /** The bytes that the writers can fill before the disk is low. */
  private static final int LEFT_BYTES = 4 << 20;

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  @TempDir Path directory;

  private final Map<String, String> acknowledged = new HashMap<>();
  private final Set<String> refused = new HashSet<>();
  private final List<String> progress = new CopyOnWriteArrayList<>();

  @Test
  @Tag("nightly")
  void nodesWithLowDisksAreSilentUntilThereIsRoomAndLoseNothing() throws Exception {
    Path data = directory.resolve("data");
    try (Tmpfs disk = Tmpfs.mounted(data, 256)) {
      Path filler = data.resolve("filler");
      Path rest = data.resolve("rest");
      try (ProcessFederation first = start(data, RESERVE_BYTES);
          EnsembleCacheManager manager =
              FederationFixtures.manager(first, directory, SiteStorage.DISK);
          WriteOnceWorkload writers =
              new WriteOnceWorkload(create(manager), "full-", 2, VALUE_CHARS)) {
        writers.awaitMore(50);
        fill(disk, filler, RESERVE_BYTES + LEFT_BYTES);
        writers.awaitFailures(5);
        first.sites().forEach(DiskFullIT::awaitSilence);
        fill(disk, rest, 0); // Another process fills the reserve, too.
        writers.awaitFailures(2);
        assertThat(Files.readString(data.resolve("oslo/0/log/server.log")))
            .contains("ERROR", "disk space is low", "directory=", "free_bytes=", "reserve_bytes=");
        await()
            .atMost(LONGEST_WAIT)
            .until(
                () -> progress.stream().anyMatch(line -> line.contains("oslo-0 rejects clients")));

        Files.delete(filler);
        Files.delete(rest);
        writers.awaitMore(20);
        assertThat(first.sites()).noneMatch(site -> site.isDiskLow(0));
        remember(writers);
        first.kill();
      }
      try (ProcessFederation second = start(data, RESERVE_BYTES);
          EnsembleCacheManager manager =
              FederationFixtures.manager(second, directory, SiteStorage.DISK)) {
        assertAllAsTold(manager.getCache("kept"));
      }
    }
  }

  @Test
  @Tag("deep")
  void othersGoOnWithoutTheSiteWhoseDiskIsLow() throws Exception {
    Path data = directory.resolve("data");
    Path oslo = data.resolve("oslo");
    try (Tmpfs disk = Tmpfs.mounted(oslo, 128)) {
      try (ProcessFederation first = start(data, RESERVE_BYTES);
          EnsembleCacheManager manager =
              FederationFixtures.manager(first, directory, SiteStorage.DISK);
          WriteOnceWorkload writers =
              new WriteOnceWorkload(create(manager), "full-", 2, VALUE_CHARS)) {
        Path filler = oslo.resolve("filler");
        writers.awaitMore(50);
        fill(disk, filler, RESERVE_BYTES + LEFT_BYTES);
        awaitSilence(first.site("oslo"));
        writers.awaitMore(100);
        Files.delete(filler);
        await().atMost(LONGEST_WAIT).until(() -> !first.site("oslo").isDiskLow(0));
        writers.awaitMore(20);
        remember(writers);
        first.kill();
      }
      try (ProcessFederation second = start(data, RESERVE_BYTES);
          EnsembleCacheManager manager =
              FederationFixtures.manager(second, directory, SiteStorage.DISK)) {
        second.site("lyon").kill(); // Then the quorum needs the site whose disk was low.
        assertAllAsTold(manager.getCache("kept"));
      }
    }
  }

  @Test
  @Tag("deep")
  void aNodeWhoseStoreCouldNotWriteEndsAndComesBackWithAllThatItAcknowledged() throws Exception {
    Path data = directory.resolve("data");
    Path oslo = data.resolve("oslo");
    try (Tmpfs disk = Tmpfs.mounted(oslo, 64);
        ProcessFederation federation = start(data, 1);
        EnsembleCacheManager manager =
            FederationFixtures.manager(federation, directory, SiteStorage.DISK)) {
      EnsembleCache<String, String> cache = create(manager);
      ProcessSite site = federation.site("oslo");
      try (WriteOnceWorkload writers =
          new WriteOnceWorkload(cache, "full-", 2, LARGE_VALUE_CHARS)) {
        Path filler = oslo.resolve("filler");
        writers.awaitMore(20);
        fill(disk, filler, LEFT_BYTES);
        await()
            .atMost(LONGEST_WAIT)
            .until(
                () -> {
                  if (site.isDiskLow(0)) { // The write fitted: leave room for part of one.
                    shrink(filler, LARGE_VALUE_CHARS / 3);
                  }
                  return !site.isRunning(0);
                });
        writers.awaitMore(20);
        remember(writers);
        Files.delete(filler);
      }
      site.start();
      federation.site("lyon").kill();
      assertAllAsTold(cache);
    }
  }

  /**
   * Peers write to the node although it is silent for clients, because each node holds every entry
   * of a WEAK cache. Its replica of a strong cache, to which no peer writes, only misses votes.
   */
  @Test
  @Tag("deep")
  void aNodeWhoseReserveItsPeersUseUpEndsAndTheyGoOn() throws Exception {
    Path data = directory.resolve("data");
    Path node = data.resolve("oslo/2");
    try (Tmpfs disk = Tmpfs.mounted(node, 128);
        ProcessFederation federation =
            ProcessFederation.start(
                FederationFixtures.options(data, 3)
                    .withSiteNames(List.of("oslo"))
                    .withPersistence(true)
                    .withDiskReserve(RESERVE_BYTES)
                    .withProgress(progress::add));
        EnsembleCacheManager manager =
            FederationFixtures.manager(federation, directory, SiteStorage.DISK)) {
      EnsembleCache<String, String> cache =
          manager.createCache(definition("kept", Mode.WEAK, "oslo"));
      EnsembleCache<String, String> voted =
          manager.createCache(definition("voted", Mode.MWMR, "oslo"));
      Map<String, String> votes = new HashMap<>();
      ProcessSite site = federation.site("oslo");
      try (WriteOnceWorkload writers =
          new WriteOnceWorkload(cache, "full-", 2, LARGE_VALUE_CHARS)) {
        Path filler = node.resolve("filler");
        writers.awaitMore(10);
        put(voted, votes, "before");
        fill(disk, filler, RESERVE_BYTES / 4 + (1 << 20));
        await().atMost(LONGEST_WAIT.multipliedBy(2)).until(() -> !site.isRunning(2));
        assertThat(progress).anyMatch(line -> line.contains("oslo-2 has stopped"));
        writers.awaitMore(10);
        put(voted, votes, "without");
        remember(writers);
        Files.delete(filler);
      }
      site.startNode(2);
      assertAllAsTold(cache);
      site.killNodes(0); // Then the quorum needs the node whose disk was low.
      WriteOnceWorkload.assertKept(votes, voted, DiskFullIT.class);
    }
  }

  private static void put(
      EnsembleCache<String, String> cache, Map<String, String> acknowledged, String key) {
    WriteOnceWorkload.patiently(() -> cache.put(key, key));
    acknowledged.put(key, key);
  }

  /** The setup that docs/recovery.md describes for servers that users start. */
  @Test
  @Tag("deep")
  void aServerOfAnyKindTakesTheReserveFromItsLib() throws Exception {
    Path root = directory.resolve("server");
    ServerLibrary library = ServerLibrary.installed();
    String own = library.classPath().split(File.pathSeparator)[0];
    assertThat(own).endsWith("ensemble-site-process.jar");
    String others = library.classPath().substring(own.length() + 1);
    try (Tmpfs disk = Tmpfs.mounted(root, 64)) {
      int port = Ports.reserve(1);
      int clusterPort = Ports.reserve(2);
      NodeFiles files = new NodeFiles(root);
      files.prepare(
          new NodeConfiguration(
              "lyon",
              "lyon-" + UUID.randomUUID(),
              "lyon-0",
              clusterPort,
              List.of(clusterPort),
              port,
              null,
              new NodeSecurity(null)));
      Files.copy(Path.of(own), root.resolve("lib").resolve("ensemble-site-process.jar"));
      JavaProgram program =
          new JavaProgram(
              List.of(
                  "-Xmx192m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Dinfinispan.server.home.path=" + root),
              others,
              "org.infinispan.server.Bootstrap");
      Process server =
          program
              .process(
                  "-s",
                  root.toString(),
                  "-c",
                  "infinispan.xml",
                  "-l",
                  "log4j2.xml",
                  "-Densemble.disk.reserve=" + RESERVE_BYTES)
              .redirectErrorStream(true)
              .redirectOutput(files.consoleLog().toFile())
              .start();
      try {
        NodeHealthClient health = NodeHealthClient.at(port, null);
        await().atMost(LONGEST_WAIT).until(() -> health.isHealthy(2_000));
        Path filler = root.resolve("filler");
        fill(disk, filler, RESERVE_BYTES / 2);
        await().atMost(LONGEST_WAIT).until(() -> files.diskLow().isPresent());
        assertThat(health.isHealthy(2_000)).isFalse();
        Files.delete(filler);
        await().atMost(LONGEST_WAIT).until(() -> health.isHealthy(2_000));
      } finally {
        server.destroyForcibly().waitFor();
      }
    }
  }

  private static void awaitSilence(ProcessSite site) {
    await().atMost(LONGEST_WAIT).until(() -> site.isDiskLow(0));
    assertThat(site.isRunning(0)).isTrue();
  }

  /** Fills the disk up to {@code leftBytes}. */
  private static void fill(Tmpfs disk, Path filler, long leftBytes) throws IOException {
    byte[] block = new byte[1 << 20];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (disk.usableBytes() > leftBytes) {
        out.write(block, 0, (int) Math.min(block.length, disk.usableBytes() - leftBytes));
      }
    }
  }

  private static void shrink(Path filler, int bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(filler, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - bytes);
    }
  }

  private static EnsembleCache<String, String> create(EnsembleCacheManager manager) {
    return manager.createCache(definition("kept", Mode.MWMR, "lyon", "oslo", "rome"));
  }

  private static CacheDefinition definition(String name, Mode mode, String... sites) {
    return CacheDefinition.of(name, mode).sites(sites).deadline(Duration.ofSeconds(3)).build();
  }

  private void remember(WriteOnceWorkload writers) throws InterruptedException {
    acknowledged.putAll(writers.stopped());
    refused.addAll(writers.refused());
    assertThat(writers.unexpected()).isEmpty();
    System.out.printf(
        "disks filled: %d writes acknowledged, %d refused%n", acknowledged.size(), refused.size());
  }

  private void assertAllAsTold(EnsembleCache<String, String> cache) {
    WriteOnceWorkload.assertKept(acknowledged, cache, DiskFullIT.class);
    WriteOnceWorkload.assertAbsent(refused, cache);
    for (int i = 0; i < 10; i++) {
      String key = "afterwards" + i;
      assertThat(WriteOnceWorkload.patiently(() -> cache.putIfAbsent(key, "v"))).isNull();
      assertThat(WriteOnceWorkload.patiently(() -> cache.get(key))).isEqualTo("v");
    }
  }

  private ProcessFederation start(Path data, long reserveBytes) {
    return ProcessFederation.start(
        FederationFixtures.options(data, 1)
            .withPersistence(true)
            .withDiskReserve(reserveBytes)
            .withProgress(progress::add));
  }
}
