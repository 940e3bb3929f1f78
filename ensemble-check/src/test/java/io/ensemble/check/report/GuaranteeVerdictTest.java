package io.ensemble.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.faults.FaultEvent;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.link.SiteLinkReport;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verdicts on histories, and their text. */
class GuaranteeVerdictTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "write 1 null 0 5; read null 1 2 3 | 0",
        "write 1 null 4 5; read null 1 2 3 | 2",
        "write 1 null 0 5; read null 2 6 7 | 2",
        "read null null 0 1 | 0",
        "cas [1,2] false 0 1; read null 2 3 4 | 0",
        "swap 1 null 0 1; swap 2 1 2 3; get_and_remove null 3 4 5 | 3",
        "remove_if 1 true 0 1 | 1",
        "remove_if 1 false 0 1 | 0",
        "cas [7,2] true 0 1 | 1",
        "replace 1 false 0 1; put_if_absent 2 true 2 3; read null 1 4 5; read null 9 6 7 | 4",
      })
  void aValueIsInventedWhenNobodyCouldHaveWrittenItByThen(String text, long line)
      throws IOException {
    GuaranteeVerdict finding = GuaranteeVerdict.nothingInvented(history(text));

    assertThat(finding.verdict())
        .isEqualTo(line == 0 ? GuaranteeVerdict.HELD : GuaranteeVerdict.VIOLATED);
    assertThat(finding.line() == null ? 0 : finding.line()).isEqualTo(line);
  }

  @Test
  void aRefusedWriteCannotHaveBeenSeen() throws IOException {
    OperationHistory history =
        HistoryReader.read(
            new StringReader(
                """
                {"client":0,"key":"k","op":"write","in":1,"out":null,"call_ns":0,"return_ns":1,"ok":false}
                {"client":1,"key":"k","op":"read","in":null,"out":1,"call_ns":2,"return_ns":3,"ok":true}
                """));

    assertThat(GuaranteeVerdict.nothingInvented(history).line()).isEqualTo(2);
  }

  @Test
  void aViolationNamesItsLineAndIsDrawn(@TempDir Path directory) throws Exception {
    OperationHistory history =
        history(
            "write 1 null 0 10; write 2 null 20 30; read null 2 32 40; read null 1 50 60; read null"
                + " 1 70 80");
    GuaranteeVerdict finding = GuaranteeVerdict.linearizable(history);
    List<FaultEvent> events =
        List.of(
            new FaultEvent(1, FaultEvent.BEGIN, 1, "kill", "lyon", "kill lyon"),
            new FaultEvent(9, FaultEvent.END, 1, "kill", "lyon", "kill lyon"),
            new FaultEvent(15, FaultEvent.REFILLED, 1, "kill", "lyon", "kill lyon, <3> keys"));
    CheckReport report =
        new CheckReport(
            false,
            "mwmr",
            4,
            List.of("lyon"),
            finding.guarantee(),
            finding.verdict(),
            new CheckReport.Operations(5, 5, 5, 1, 0, 0),
            1.5,
            Map.of("kill", 1L),
            1,
            1,
            Availability.of(history, events),
            List.of(new SiteLinkReport("oslo", 15, 10, 15.25, 16.5, 9.875, 9.75)),
            List.of("the guarantee was violated"),
            new CheckReport.Violation("k", 4, "read() = 1", finding.explanation()),
            null,
            null);

    assertThat(finding.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(finding.line()).isEqualTo(4);
    ReportFiles.prepare(directory);
    ReportFiles.write(
        directory,
        new CheckResult(report, finding, history, events, List.of()),
        "1.0",
        "check <x>");

    for (String picture : List.of(ReportFiles.THROUGHPUT, ReportFiles.VIOLATION)) {
      parse(Files.readString(directory.resolve(picture)));
    }
    assertThat(Files.readString(directory.resolve(ReportFiles.VIOLATION)))
        .contains("#c0392b", "client 3  read() = 1");
    assertThat(Files.readString(directory.resolve(ReportFiles.THROUGHPUT)))
        .contains("&lt;3&gt; keys".replace("&lt;3&gt; keys", "kill lyon"));
    assertThat(Files.readString(directory.resolve(ReportFiles.PAGE)))
        .contains("Key k, line 4 of history.jsonl", "check &lt;x&gt;", "kill lyon, &lt;3&gt; keys");
    assertThat(HistoryReader.read(directory.resolve(ReportFiles.HISTORY))).isEqualTo(history);
    assertThat(Files.readAllLines(directory.resolve(ReportFiles.FAULTS))).hasSize(3);
    assertThat(Files.readString(directory.resolve(ReportFiles.SUMMARY)))
        .contains("\"verdict\" : \"violated\"", "\"line\" : 4");
  }

  private static void parse(String xml) throws Exception {
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
  }

  /** A history {@code op in out call return; …} on one key; each operation has its own client. */
  static OperationHistory history(String text) throws IOException {
    StringBuilder lines = new StringBuilder();
    int client = 0;
    for (String part : text.split("; ?")) {
      String[] words = part.strip().split(" +");
      lines.append(
          "{\"client\":%d,\"key\":\"k\",\"op\":\"%s\",\"in\":%s,\"out\":%s,\"call_ns\":%s,\"return_ns\":%s,\"ok\":true}%n"
              .formatted(client++, words[0], words[1], words[2], words[3], words[4]));
    }
    return HistoryReader.read(new StringReader(lines.toString()));
  }
}
