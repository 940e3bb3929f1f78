package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The only node of a cache loses its power under load, and with it all data that was not forced to
 * its disk. Every acknowledged write is present after the restart.
 */
class PowerLossIT {

  private static final int POWER_LOSSES = Integer.getInteger("ensemble.power.losses", 100);
  private static final long SEED = 20_261_124;
  private static final int MEGABYTES = 384;

  @TempDir Path directory;

  @Test
  @Timeout(120)
  void whatWasNotForcedIsGone() throws Exception {
    Path at = directory.resolve("disk");
    try (PowerLossDisk disk = PowerLossDisk.mounted(directory.resolve("image"), at, 32)) {
      write(at.resolve("forced"), true);
      write(at.resolve("not-forced"), false);

      disk.losePower();
      disk.restorePower();

      assertThat(at.resolve("forced")).hasContent("value");
      assertThat(at.resolve("not-forced")).doesNotExist();
    }
  }

  private static void write(Path file, boolean forced) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap("value".getBytes()));
      if (forced) {
        channel.force(true);
      }
    }
  }

  @Test
  @Tag("deep")
  @Timeout(3_600)
  void nothingAcknowledgedIsLostWithThePower() throws Exception {
    Path data = directory.resolve("data");
    Random random = new Random(SEED);
    Map<String, String> all = new HashMap<>();
    Path node = data.resolve("lyon"); // Without the files of this process.
    try (PowerLossDisk disk = PowerLossDisk.mounted(directory.resolve("image"), node, MEGABYTES);
        ProcessFederation federation = start(data);
        EnsembleCacheManager manager =
            FederationFixtures.manager(federation, directory, SiteStorage.DISK)) {
      EnsembleCache<String, String> cache =
          manager.createCache(
              CacheDefinition.of("kept", Mode.MWMR)
                  .sites("lyon")
                  .deadline(Duration.ofSeconds(2))
                  .build());
      ProcessSite lyon = federation.site("lyon");
      for (int loss = 1; loss <= POWER_LOSSES; loss++) {
        Map<String, String> acknowledged = writtenUntilPowerIsLost(disk, lyon, cache, loss, random);
        disk.restorePower();
        lyon.start();
        WriteOnceWorkload.assertKept(acknowledged, cache, PowerLossIT.class);
        all.putAll(acknowledged);
        System.out.printf("power loss %d: %d acknowledged%n", loss, all.size());
      }
      WriteOnceWorkload.assertKept(all, cache, PowerLossIT.class);
    }
  }

  private static Map<String, String> writtenUntilPowerIsLost(
      PowerLossDisk disk,
      ProcessSite site,
      EnsembleCache<String, String> cache,
      int loss,
      Random random)
      throws IOException, InterruptedException {
    try (WriteOnceWorkload writers = new WriteOnceWorkload(cache, "loss-" + loss + "-", 4)) {
      writers.awaitMore(20 + random.nextInt(200));
      site.pauseNode(0);
      disk.losePower();
      site.kill();
      return writers.stopped();
    }
  }

  private static ProcessFederation start(Path data) {
    return ProcessFederation.start(
        FederationFixtures.options(data, 1)
            .withSiteNames(List.of("lyon"))
            .withPersistence(true)
            .withDiskReserve(8L << 20));
  }
}
