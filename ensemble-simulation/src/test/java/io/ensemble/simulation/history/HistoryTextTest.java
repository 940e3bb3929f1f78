package io.ensemble.simulation.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.testkit.history.HistoryMeta;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.HistoryWriter;
import io.ensemble.testkit.history.MalformedHistoryException;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.RandomHistories;
import io.ensemble.testkit.linearizability.RandomHistories.Shape;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoryTextTest {
  private static final String GOOD =
      "{\"client\":3,\"key\":\"k17\",\"op\":\"write\",\"in\":5,\"out\":null,"
          + "\"call_ns\":1200,\"return_ns\":5400,\"ok\":true}";

  @TempDir Path directory;

  @Test
  void lineIsReadAndWrittenAsItStands() throws IOException {
    Path file = directory.resolve("one.jsonl");

    OperationHistory history = HistoryReader.read(new StringReader(GOOD));
    HistoryWriter.write(history, file);

    HistoryOperation only = history.operations().get(0);
    assertThat(only.client()).isEqualTo(3);
    assertThat(only.describe()).isEqualTo("write(5) = null");
    assertThat(Files.readString(file)).isEqualTo(GOOD + "\n");
  }

  @Test
  void anOperationKnowsItsLine() {
    List<HistoryOperation> operations = RandomHistories.linearizable(5, new Shape(4, 3, 50, 0, 20));
    OperationHistory history = new OperationHistory(operations.subList(0, 40));

    assertThat(history.line(operations.get(0))).isEqualTo(1);
    assertThat(history.line(operations.get(39))).isEqualTo(40);
    assertThatThrownBy(() -> history.line(operations.get(40)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected an operation of this history");
  }

  @Test
  void everyKindOfOutcomeComesBackEqual() throws IOException {
    Path file = directory.resolve("many.jsonl");
    OperationHistory history =
        new OperationHistory(RandomHistories.linearizable(5, new Shape(4, 3, 500, 0, 20)));

    HistoryWriter.write(history, file);

    assertThat(HistoryReader.read(file)).isEqualTo(history);
  }

  @Test
  void entryOfAMapIsKept() throws IOException {
    String line = GOOD.replace("\"op\"", "\"k\":\"e\",\"op\"");
    Path file = directory.resolve("map.jsonl");

    HistoryWriter.write(HistoryReader.read(new StringReader(line)), file);

    assertThat(Files.readString(file)).isEqualTo(line + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"client\":3         | \"client\":\"3\"        | expected an integer in client, got \"3\"",
        "\"client\":3         | \"client\":3.5          | expected an integer in client, got 3.5",
        "\"client\":3,        | ``                      | expected the field client",
        "\"key\":\"k17\"      | \"key\":17              | expected a string in key, got 17",
        "\"op\":\"write\"     | \"op\":\"\"             | expected the name of an operation in op",
        "\"out\":null,        | ``                      | expected the field out",
        "\"call_ns\":1200     | \"call_ns\":null        | expected an integer in call_ns, got null",
        "\"return_ns\":5400   | \"return_ns\":\"x\"     | expected an integer or null in return_ns",
        "\"return_ns\":5400   | \"return_ns\":1199      | expected return_ns at or after call_ns "
            + "1200",
        "\"return_ns\":5400   | \"return_ns\":null      | expected return_ns of an operation that",
        "\"ok\":true          | \"ok\":\"maybe\"        | expected true, false or \"unknown\" in "
            + "ok",
        "\"ok\":true          | \"ok\":null             | expected true, false or \"unknown\" in "
            + "ok",
        "\"ok\":true          | \"ok\":true,\"x\":1     | expected only the fields client, key",
        "\"ok\":true          | \"ok\":true,\"ok\":true | Duplicate field 'ok'",
        "\"ok\":true}         | \"ok\":true             | not JSON",
        "\"ok\":true}         | \"ok\":true}{}          | expected the end of the line",
        "\"call_ns\":1200     | \"call_ns\":9999999999999999999 | not JSON"
      })
  void malformedLineIsNamedWithWhatWasWanted(String part, String instead, String message) {
    String line = GOOD.replace(part, instead);
    assertThat(line).isNotEqualTo(GOOD);

    String text = GOOD + "\n" + line + "\n";

    assertThatThrownBy(() -> HistoryReader.read(new StringReader(text)))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageStartingWith("line 2: ")
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"''|an empty line", "[]|START_ARRAY", "7|VALUE_NUMBER_INT"})
  void lineThatIsNoObjectIsNamed(String line, String got) {
    assertThatThrownBy(() -> HistoryReader.read(new StringReader(GOOD + "\n" + line + "\n")))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessage("line 2: expected one JSON object, got " + got);
  }

  @Test
  void bytesThatAreNotUtf8AreRefused() throws IOException {
    Path file = directory.resolve("bytes.jsonl");
    Files.write(file, new byte[] {'{', (byte) 0xff, '}'});

    assertThatThrownBy(() -> HistoryReader.read(file))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageContaining("expected UTF-8");
  }

  @Test
  void clientWithTwoOperationsAtOnceIsRefused() {
    String overlapping = GOOD.replace("1200", "5399").replace("5400", "6000");
    String touching = GOOD.replace("5400", "6000").replace("1200", "5400");

    assertThatThrownBy(() -> HistoryReader.read(new StringReader(GOOD + "\n" + overlapping)))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageStartingWith("line 2: expected one operation at a time from client 3")
        .hasMessageContaining("(line 1)");
    assertThat(read(GOOD + "\n" + touching).operations()).hasSize(2);
  }

  @Test
  void clientThatGoesOnAfterAnUnknownOutcomeIsRefused() {
    String unknown = GOOD.replace("5400", "null").replace("true", "\"unknown\"");
    String later = GOOD.replace("1200", "9000").replace("5400", "9001");

    assertThatThrownBy(() -> read(later + "\n" + unknown))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageStartingWith("line 1: expected one operation at a time from client 3")
        .hasMessageContaining("goes on under a new number");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "frobnicate|1|null|expected an operation of a register",
        "write|null|null|expected a value other than null in in of write",
        "write|1|1|expected null in out of write, got 1",
        "cas|[1]|true|expected [old,new] in in of cas, got [1]",
        "cas|[1,2]|null|expected true or false in out of cas, got null",
        "read|1|null|expected null in in of read, got 1",
        "contains|null|1|expected true or false in out of contains, got 1"
      })
  void operationThatIsNoneOfARegisterIsNamed(String op, String in, String out, String message) {
    String line = GOOD.replace("write", op).replace(":5,", ":" + in + ",");
    line = line.replace("\"out\":null", "\"out\":" + out);
    OperationHistory history = read(GOOD.replace("\"client\":3", "\"client\":4") + "\n" + line);

    assertThatThrownBy(() -> LinearizabilityChecker.check(history, Options.registers()))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageStartingWith("line 2: " + message);
  }

  @Test
  void metaStandsBesideItsHistory() throws IOException {
    Path file = directory.resolve("run.jsonl");
    HistoryMeta meta =
        new HistoryMeta(
            42,
            "MWMR",
            List.of("lyon", "oslo"),
            List.of(new HistoryMeta.Fault(1_000, "cut lyon")),
            "0.1.0",
            "abc");

    meta.writeBeside(file);

    assertThat(directory.resolve("run.jsonl.meta.json")).exists();
    assertThat(HistoryMeta.readBeside(file)).isEqualTo(meta);
  }

  @Test
  void metaWithoutASeedIsRefused() throws IOException {
    Path file = directory.resolve("run.jsonl");
    Files.writeString(HistoryMeta.beside(file), "{\"sites\":[],\"faults\":[],\"mode\":\"WEAK\"}");

    assertThatThrownBy(() -> HistoryMeta.readBeside(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected an integer in seed, got nothing");
  }

  private static OperationHistory read(String text) {
    try {
      return HistoryReader.read(new StringReader(text));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
