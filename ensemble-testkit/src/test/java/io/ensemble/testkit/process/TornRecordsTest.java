package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TornRecordsTest {

  private static final int HEADER = 27;
  private static final int LENGTHS_AT = 1;
  private static final int NUMBER_AT = 11;

  @TempDir Path data;

  @Test
  void aRecordThatIsNotWholeIsCutOffWhereverItEnds() throws IOException {
    byte[] whole = records(record(1, 11, 56, 54, 0), record(2, 11, 56, 20, 30));
    byte[] last = record(3, 11, 56, 54, 7);

    for (int length = 1; length < last.length; length++) {
      Path file = write("kept/data/ispn12.3", records(whole, Arrays.copyOf(last, length)));

      assertThat(TornRecords.truncate(data)).containsExactly(file);
      assertThat(Files.readAllBytes(file)).isEqualTo(whole);
    }
  }

  @Test
  void wholeRecordsTombstonesAndForeignFilesStayAsTheyAre() throws IOException {
    byte[] whole = records(record(1, 11, 56, 54, 0), record(2, 11, 0, 0, 0));
    byte[] foreign = "this is no record, or of a format to come".getBytes();
    byte[] torn = Arrays.copyOf(whole, whole.length - 1);
    Path file = write("kept/data/ispn12.0", whole);
    Path other = write("kept/data/ispn12.1", foreign);
    Path index = write("kept/index/index.5", torn);

    assertThat(TornRecords.truncate(data)).isEmpty();
    assertThat(TornRecords.truncate(data.resolve("none"))).isEmpty();
    assertThat(file).hasBinaryContent(whole);
    assertThat(other).hasBinaryContent(foreign);
    assertThat(index).hasBinaryContent(torn);
  }

  private Path write(String name, byte[] content) throws IOException {
    Path file = data.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }

  private static byte[] record(long number, int key, int metadata, int value, int internal) {
    ByteBuffer record = ByteBuffer.allocate(HEADER + key + metadata + value + internal);
    record.put((byte) 1).putShort((short) key).putShort((short) metadata).putInt(value);
    record.putShort((short) internal).putLong(number).putLong(-1);
    return record.array();
  }

  private static byte[] records(byte[]... all) {
    var together = new ByteArrayOutputStream();
    Stream.of(all).forEach(together::writeBytes);
    return together.toByteArray();
  }

  /**
   * Appends half of a later record of the last key to each file of a cache's stores, as a kill
   * during a write leaves it.
   */
  static void tearStores(Path data, String cache) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(data)) {
      files =
          all.filter(file -> file.getFileName().toString().startsWith("ispn12."))
              .filter(file -> data.relativize(file).getName(0).toString().contains(cache))
              .toList();
    }
    assertThat(files).as("files of %s in %s", cache, data).isNotEmpty();
    for (Path file : files) {
      tear(file);
    }
  }

  private static void tear(Path file) throws IOException {
    TornRecords.truncate(file.getParent());
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
    int last = -1;
    for (int at = 0; at < content.limit(); at += length(content, at)) {
      last = at;
    }
    if (last < 0) {
      return;
    }
    content.putLong(last + NUMBER_AT, content.getLong(last + NUMBER_AT) + 1);
    int half = length(content, last) - content.getInt(last + LENGTHS_AT + 4) / 2;
    byte[] torn = Arrays.copyOfRange(content.array(), last, last + half);
    Files.write(file, torn, StandardOpenOption.APPEND);
  }

  private static int length(ByteBuffer content, int at) {
    int lengths = at + LENGTHS_AT;
    return HEADER
        + content.getShort(lengths)
        + content.getShort(lengths + 2)
        + content.getInt(lengths + 4)
        + content.getShort(lengths + 8);
  }
}
