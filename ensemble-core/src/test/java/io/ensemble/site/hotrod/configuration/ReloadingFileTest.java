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
