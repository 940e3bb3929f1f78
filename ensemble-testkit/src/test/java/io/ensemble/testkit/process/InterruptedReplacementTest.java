package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptedReplacementTest {

  private static final String FORMER = "<infinispan><cache-container/></infinispan>";
  private static final String NEXT = "<infinispan><cache-container name=\"x\"/></infinispan>\n";

  @TempDir Path data;

  @Test
  void aMissingListIsTheNewestCompleteTemporaryFile() throws IOException {
    write("caches1.tmp", FORMER, 1);
    write("caches2.tmp", NEXT, 2);
    write("templates7.tmp", FORMER, 1);
    for (int length = 0; length < NEXT.stripTrailing().length(); length++) {
      write("caches3.tmp", NEXT.substring(0, length), 3);
      Files.deleteIfExists(data.resolve("caches.xml"));
      write("caches2.tmp", NEXT, 2);

      assertThat(InterruptedReplacement.complete(data)).contains(data.resolve("caches.xml"));
      assertThat(data.resolve("caches.xml")).as("length %d", length).hasContent(NEXT);
    }
    assertThat(data.resolve("templates.xml")).hasContent(FORMER);
    try (var files = Files.list(data)) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void aFileThatIsNotCompleteIsNoListAndStays() throws IOException {
    write("caches1.tmp", "<infinispan>", 1);

    assertThat(InterruptedReplacement.complete(data)).isEmpty();
    assertThat(data.resolve("caches.xml")).doesNotExist();
    assertThat(data.resolve("caches1.tmp")).hasContent("<infinispan>");
  }

  @Test
  void aListThatIsThereStays() throws IOException {
    write("caches.xml", FORMER, 1);
    write("caches2.tmp", NEXT, 2);
    write("notes.tmp", "mine", 1);

    assertThat(InterruptedReplacement.complete(data)).isEmpty();
    assertThat(data.resolve("caches.xml")).hasContent(FORMER);
    assertThat(data.resolve("caches2.tmp")).doesNotExist();
    assertThat(data.resolve("notes.tmp")).exists();
    assertThat(InterruptedReplacement.complete(data.resolve("none"))).isEmpty();
  }

  private void write(String name, String text, int seconds) throws IOException {
    Path file = Files.writeString(data.resolve(name), text);
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000L * seconds));
  }
}
