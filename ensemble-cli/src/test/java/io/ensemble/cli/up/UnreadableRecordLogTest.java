package io.ensemble.cli.up;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCacheManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that maintains sites logs the records that it cannot read. */
@Timeout(60)
class UnreadableRecordLogTest {

  @TempDir Path catalog;
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final CountDownLatch told = new CountDownLatch(2);
  private final Logger log = Logger.getLogger("io.ensemble.maintenance.UnreadableRecords");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          if (line.getLevel() == Level.WARNING) {
            warnings.add(line.getMessage());
            told.countDown();
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    log.setLevel(Level.WARNING); // An earlier command here has switched it off.
    log.addHandler(handler);
  }

  @AfterEach
  void listenNoMore() {
    log.removeHandler(handler);
    log.setLevel(null);
  }

  @Test
  void sitesAndCachesAreToldByName() throws Exception {
    Files.writeString(catalog.resolve("later.cache"), "ensemble-cache=99\n");
    Files.writeString(catalog.resolve("zz.site"), "garbage");

    try (EnsembleCacheManager caring =
        EnsembleCacheManager.builder().catalog(catalog.toString()).maintenance(true).build()) {
      assertThat(told.await(30, TimeUnit.SECONDS)).as("told so far: %s", warnings).isTrue();
    }

    assertThat(warnings)
        .anyMatch(line -> line.contains("cache=later why="))
        .anyMatch(line -> line.contains("site=zz why="));
  }
}
