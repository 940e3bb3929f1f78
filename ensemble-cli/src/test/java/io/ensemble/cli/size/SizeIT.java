package io.ensemble.cli.size;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.check.capacity.CapacityEstimate;
import io.ensemble.check.capacity.CapacityRequest;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The calculator against a real server process: heap after a collection, and bytes on disk. */
@Timeout(600)
@Tag("nightly")
class SizeIT {

  private static final int ENTRIES = 20_000;
  private static final int KEY_BYTES = 10;
  private static final int VALUE_BYTES = 1_000;

  /** What an estimate may differ from a measurement. */
  private static final double TOLERANCE_PERCENT = 15;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void heapAndDiskOfAServerAreAsEstimated(boolean onDisk) throws Exception {
    ProcessOptions options =
        ProcessOptions.in(directory, ServerLibrary.installed())
            .withSiteNames(List.of("lyon"))
            .withNodesPerSite(1)
            .withPersistence(onDisk)
            .withDiskReserve(0);
    try (ProcessFederation federation = ProcessFederation.start(options);
        EnsembleCacheManager manager =
            EnsembleCacheManager.builder().site(site(federation, onDisk)).build()) {
      long pid = federation.site("lyon").pid(0);
      for (Mode mode : Mode.values()) {
        CapacityEstimate expected =
            CapacityEstimate.of(
                new CapacityRequest(mode, ENTRIES, KEY_BYTES, VALUE_BYTES, 1, 1, 0, onDisk, 0, 0));
        EnsembleCache<String, byte[]> cache =
            manager.createCache(
                CacheDefinition.of("size-" + mode.name().toLowerCase(Locale.ROOT), mode)
                    .sites("lyon")
                    .deadline(Duration.ofSeconds(60))
                    .build());
        cache.put("warm-up", new byte[VALUE_BYTES]);
        long heap = liveHeapBytes(pid);
        long disk = diskBytes();

        fill(cache);

        double heapOfEntry = (liveHeapBytes(pid) - heap) / (double) ENTRIES;
        double diskOfEntry = (diskBytes() - disk) / (double) ENTRIES;
        assertThat(heapOfEntry)
            .as("heap of a copy in %s, on disk: %s", mode, onDisk)
            .isCloseTo(expected.heapBytesPerCopy(), withinPercentage(TOLERANCE_PERCENT));
        if (onDisk) {
          assertThat(diskOfEntry)
              .as("disk of a copy in %s", mode)
              .isCloseTo(
                  (double) expected.diskBytes() / ENTRIES, withinPercentage(TOLERANCE_PERCENT));
        }
        manager.deleteCache(cache.getName());
      }
    }
  }

  private static SiteConfiguration site(ProcessFederation federation, boolean onDisk) {
    ProcessSite lyon = federation.site("lyon");
    SiteConfiguration.Builder site =
        SiteConfiguration.builder("lyon").storage(onDisk ? SiteStorage.DISK : SiteStorage.MEMORY);
    for (InetSocketAddress at : lyon.endpoints()) {
      site.endpoint(at.getHostString() + ":" + at.getPort());
    }
    return site.build();
  }

  private static void fill(EnsembleCache<String, byte[]> cache) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try {
      Random random = new Random(1);
      List<Future<?>> writes = new ArrayList<>();
      for (int i = 0; i < ENTRIES; i++) {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        String key = "user%06d".formatted(i);
        writes.add(threads.submit(() -> cache.put(key, value)));
      }
      for (Future<?> write : writes) {
        write.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** The heap in use after a full collection, which the histogram of classes causes. */
  private static long liveHeapBytes(long pid) throws IOException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(pid),
                "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    try (var out = jcmd.inputReader()) {
      String total = out.lines().filter(line -> line.startsWith("Total")).findFirst().orElseThrow();
      return Long.parseLong(total.trim().split("\\s+")[2]);
    }
  }

  private long diskBytes() throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve("lyon").resolve("0").resolve("data"))) {
      return all.filter(Files::isRegularFile).mapToLong(SizeIT::size).sum();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException gone) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
