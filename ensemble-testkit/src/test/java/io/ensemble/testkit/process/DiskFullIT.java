package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.Storage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Disks fill while clients write: each write ends as a type, and what was acknowledged stays. The
 * second does not hold: servers acknowledge what their stores could not write.
 */
@Tag("deep")
@Disabled("acknowledged writes are lost on full disks: docs/reliability.md, Disks that fill")
@Timeout(300)
class DiskFullIT {

  private static final int VALUE_CHARS = 8_192;
  private static final int LEFT_BYTES = 4 << 20;

  @TempDir Path directory;

  private final Map<String, String> acknowledged = new HashMap<>();

  @Test
  void onEverySiteAtOnce() throws Exception {
    Path data = directory.resolve("data");
    try (Tmpfs disk = Tmpfs.mounted(data, 256)) {
      try (ProcessFederation first = start(data)) {
        Path filler = data.resolve("filler");
        filledUnderLoad(first, () -> fill(disk, filler), 0);
        first.kill();
        Files.delete(filler);
      }
      assertNothingIsLost(data);
    }
  }

  @Test
  void onOneSiteAndTheOthersGoOn() throws Exception {
    Path data = directory.resolve("data");
    Path oslo = data.resolve("oslo");
    try (Tmpfs disk = Tmpfs.mounted(oslo, 128)) {
      try (ProcessFederation first = start(data)) {
        Path filler = oslo.resolve("filler");
        filledUnderLoad(first, () -> fill(disk, filler), 100);
        first.kill();
        Files.delete(filler);
      }
      assertNothingIsLost(data);
    }
  }

  private interface Filling {
    void run() throws IOException;
  }

  /** All but a little, which the writers are to take. */
  private static void fill(Tmpfs disk, Path filler) throws IOException {
    byte[] block = new byte[1 << 20];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (disk.usableBytes() > LEFT_BYTES + block.length) {
        out.write(block);
      }
    }
  }

  /**
   * @param wantedAfterwards how many writes are to be acknowledged with the disk full
   */
  private void filledUnderLoad(ProcessFederation federation, Filling filling, int wantedAfterwards)
      throws Exception {
    try (EnsembleCacheManager manager = Federated.manager(federation, directory, Storage.DISK)) {
      EnsembleCache<String, String> cache =
          manager.createCache(
              CacheDefinition.of("kept", Mode.MWMR)
                  .sites("lyon", "oslo", "rome")
                  .deadline(Duration.ofSeconds(3))
                  .build());
      try (WriteOnce writers = new WriteOnce(cache, "full-", 2, VALUE_CHARS)) {
        writers.awaitMore(50);
        filling.run();
        if (wantedAfterwards == 0) {
          writers.awaitFailures(20);
        } else {
          writers.awaitMore(LEFT_BYTES / VALUE_CHARS + wantedAfterwards);
        }
        acknowledged.putAll(writers.stopped());
        assertThat(writers.unexpected()).isEmpty();
      }
    }
  }

  private void assertNothingIsLost(Path data) throws IOException {
    try (ProcessFederation second = start(data);
        EnsembleCacheManager manager = Federated.manager(second, directory, Storage.DISK)) {
      EnsembleCache<String, String> cache = manager.getCache("kept");
      WriteOnce.assertKept(acknowledged, cache);
      second.site("lyon").kill(); // So that the one whose disk was full has a say.
      WriteOnce.assertKept(acknowledged, cache);
      assertThat(cache.putIfAbsent("afterwards", "v")).isNull();
    }
  }

  private static ProcessFederation start(Path data) {
    return ProcessFederation.start(Federated.options(data, 1).withPersistence(true));
  }
}
