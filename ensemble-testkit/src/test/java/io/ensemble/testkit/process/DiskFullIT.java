package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.site.hotrod.Storage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Disks fill while clients write: each write is answered or fails by its type, none hangs, and once
 * there is room the sites serve again. When all disks were full acknowledged writes may be gone,
 * for servers acknowledge what their stores could not write (docs/reliability.md, Disks that fill):
 * how many are is told, and not asserted. One site that is wiped and recovered afterwards costs
 * nothing.
 */
@Tag("deep")
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
      try (ProcessFederation second = start(data);
          EnsembleCacheManager manager = Federated.manager(second, directory, Storage.DISK)) {
        EnsembleCache<String, String> cache = manager.getCache("kept");
        tellWhatIsLost(cache);
        assertServes(cache);
      }
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
      try (ProcessFederation second = start(data);
          EnsembleCacheManager manager = Federated.manager(second, directory, Storage.DISK)) {
        EnsembleCache<String, String> cache = manager.getCache("kept");
        ProcessSite full = second.site("oslo");
        full.kill();
        full.wipe();
        full.start();
        long copied =
            WriteOnce.patiently(() -> manager.recoverSite("kept", "oslo", Duration.ofMinutes(1)));
        assertThat(copied).isGreaterThanOrEqualTo(acknowledged.size());

        second.site("lyon").kill(); // So that the one whose disk was full has a say.
        WriteOnce.assertKept(acknowledged, cache, DiskFullIT.class);
        assertServes(cache);
      }
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

  private void tellWhatIsLost(EnsembleCache<String, String> cache) {
    int gone = 0;
    int refused = 0;
    for (Map.Entry<String, String> written : acknowledged.entrySet()) {
      try {
        String found = cache.get(written.getKey());
        assertThat(found).as(written.getKey()).isIn(written.getValue(), null);
        gone += found == null ? 1 : 0;
      } catch (QuorumUnavailableException e) {
        refused++;
      }
    }
    System.out.printf(
        "disks full at all sites: of %d acknowledged writes %d are gone, %d refused to be read%n",
        acknowledged.size(), gone, refused);
  }

  private static void assertServes(EnsembleCache<String, String> cache) {
    for (int i = 0; i < 10; i++) {
      String key = "afterwards" + i;
      assertThat(WriteOnce.patiently(() -> cache.putIfAbsent(key, "v"))).isNull();
      assertThat(WriteOnce.patiently(() -> cache.get(key))).isEqualTo("v");
    }
  }

  private static ProcessFederation start(Path data) {
    return ProcessFederation.start(Federated.options(data, 1).withPersistence(true));
  }
}
