package io.ensemble.site.hotrod.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadingFileTest {

  private final AtomicLong time = new AtomicLong();

  private static Integer number(byte[] text) {
    return Integer.valueOf(new String(text));
  }

  private Integer later(ReloadingFile<Integer> watched) {
    time.addAndGet(1_000_000_000L);
    return watched.get();
  }

  @Test
  void aChangeIsTakenUpAndABrokenOneLeavesWhatWas(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("n"), "1");
    ReloadingFile<Integer> watched = ReloadingFile.of(file, ReloadingFileTest::number, time::get);

    Files.writeString(file, "22");
    assertThat(watched.get()).isEqualTo(1); // Not read again so soon.
    assertThat(later(watched)).isEqualTo(22);
    Files.writeString(file, "broken");
    assertThat(later(watched)).isEqualTo(22);
    Files.delete(file);
    assertThat(later(watched)).isEqualTo(22);
    Files.writeString(file, "4444");
    assertThat(later(watched)).isEqualTo(4444);
  }

  /** Lists of large authorities have several MiB. */
  @Test
  void revocationListsMayBeLargerThanOtherFiles(@TempDir Path directory) throws Exception {
    int large = ReloadingFile.LARGEST_BYTES + 1;
    Path file = Files.write(directory.resolve("lists"), new byte[large]);

    assertThat(ReloadingFile.ofLists(file, bytes -> bytes.length).get()).isEqualTo(large);
    assertThatThrownBy(() -> ReloadingFile.of(file, bytes -> bytes.length, time::get))
        .hasMessageContaining("larger than 4194304 bytes");
  }

  @Test
  void whatIsBrokenFromTheBeginningIsToldThen(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("n"), "x");

    assertThatThrownBy(() -> ReloadingFile.of(file, ReloadingFileTest::number, time::get))
        .isInstanceOf(NumberFormatException.class);
    assertThatThrownBy(
            () -> ReloadingFile.of(directory.resolve("no"), ReloadingFileTest::number, time::get))
        .hasMessageContaining("cannot check the file");
  }
}
