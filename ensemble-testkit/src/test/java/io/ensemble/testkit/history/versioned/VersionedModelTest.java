package io.ensemble.testkit.history.versioned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.MalformedHistoryException;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which answers of a versioned key are linearizable. A question mark is an unknown outcome. */
class VersionedModelTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        // an addition takes a higher version; a put takes any version that is free
        "add_version 7 1 0 1; put_version [9,8] \"added\" 2 3; add_version 5 10 4 5;"
            + " put_version [4,6] \"added\" 6 7; range [1,20] [[1,7],[4,6],[9,8],[10,5]] 8 9",
        "put_version [3,1] \"added\" 0 1; put_version [3,2] \"exists\" 2 3; latest null [3,1] 4 5",
        "put_version [0,1] \"not_above\" 0 1; latest null null 2 3",
        // versions below a cut do not change
        "put_version [5,1] \"added\" 0 1; as_of 8 [5,1] 2 3; put_version [7,2] \"below_cut\" 4 5;"
            + " add_version 3 9 6 7; put_version [5,4] \"below_cut\" 8 9",
        "as_of 4 [3,1] 0 9; put_version [3,1] \"added\" 1 8; latest null [3,1] 10 11",
        // compaction
        "put_version [2,1] \"added\" 0 1; put_version [5,2] \"added\" 2 3; compact 5 null 4 5;"
            + " get_version 2 \"compacted\" 6 7; predecessor 5 null 6 7; as_of 4 \"compacted\" 8 9;"
            + " put_version [4,3] \"below_cut\" 10 11",
        "put_version [5,2] \"added\" 2 3; compact 5 null 4 5; put_version [2,1] \"compacted\" 6 7;"
            + " get_version 7 \"unknown\" 6 7; versions [null,null,9,true] [5] 6 7",
        // compaction that finds nothing to remove
        "put_version [5,2] \"added\" 0 1; compact 5 null 2 3; get_version 2 \"unknown\" 4 5;"
            + " as_of 3 null 6 7; put_version [2,1] \"below_cut\" 8 9",
        "add_version 1 ? 0 ?; put_version [5,2] \"added\" 2 3; compact 5 null 4 5;"
            + " get_version 2 \"compacted\" 6 7",
        // reads of a part of the versions
        "put_version [2,1] \"added\" 0 1; put_version [5,2] \"added\" 2 3;"
            + " versions [null,null,1,true] [5] 4 5; versions [null,4,1,false] [2] 4 5;"
            + " versions [3,null,0,false] [] 4 5; successor 2 [5,2] 4 5; get_version 2 [2,1] 4 5",
        // operations of unknown outcome
        "add_version 7 ? 0 ?; latest null null 2 3; latest null [4,7] 5 6; add_version 8 5 7 8",
        "add_version 7 ? 0 ?; add_version 8 1 2 3; put_version [3,9] \"exists\" 4 5;"
            + " versions [null,null,9,false] [1,3] 6 7",
        "put_version [4,1] ? 0 ?; put_version [4,2] \"added\" 2 3; latest null [4,2] 4 5",
        "put_version [4,1] ? 0 ?; put_version [4,2] \"exists\" 2 3; latest null [4,1] 4 5",
        "as_of 6 ? 0 ?; put_version [5,1] \"added\" 2 3; put_version [4,2] \"below_cut\" 4 5",
        "put_version [2,1] \"added\" 0 1; put_version [5,2] \"added\" 0 1; compact 5 ? 2 ?;"
            + " get_version 2 [2,1] 3 4; get_version 2 \"compacted\" 5 6",
      })
  void whatAVersionedKeyAnswersIsLinearizable(String text) throws IOException {
    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(parse(text), Options.anyObjects());

    assertThat(verdict.isLinearizable()).as(verdict.explain()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // a version that is not higher, a version twice, a lost version
        "put_version [9,8] \"added\" 0 1; add_version 7 5 2 3 | add_version(7) = 5",
        "add_version 1 5 0 1; add_version 2 5 2 3 | add_version(2) = 5",
        "add_version 1 1 0 1; put_version [1,2] \"added\" 2 3 | put_version([1,2]) = \"added\"",
        "add_version 1 1 0 1; add_version 2 2 2 3; range [1,9] [[2,2]] 4 5 | range([1,9]) = [[2,2]]",
        // a stale latest
        "add_version 1 1 0 1; add_version 2 2 2 3; latest null [1,1] 4 5 | latest() = [1,1]",
        // swapped values, a value under another version, an unwritten value
        "add_version 1 1 0 1; add_version 2 2 2 3; get_version 1 [1,2] 4 5 | get_version(1) = [1,2]",
        "add_version 1 1 0 1; latest null [2,1] 2 3 | latest() = [2,1]",
        "add_version 1 1 0 1; latest null [1,9] 2 3 | latest() = [1,9]",
        // a range that existed at no moment
        "add_version 1 1 0 1; add_version 2 2 2 3; add_version 3 3 2 8; range [1,9] [[1,1],[3,3]] 2 9"
            + " | range([1,9]) = [[1,1],[3,3]]",
        // refused without a reason
        "put_version [3,1] \"exists\" 0 1 | put_version([3,1]) = \"exists\"",
        "put_version [3,1] \"below_cut\" 0 1 | put_version([3,1]) = \"below_cut\"",
        "put_version [3,1] \"compacted\" 0 1 | put_version([3,1]) = \"compacted\"",
        "put_version [3,1] \"not_above\" 0 1 | put_version([3,1]) = \"not_above\"",
        "add_version 1 1 0 1; get_version 1 \"unknown\" 2 3 | get_version(1) = \"unknown\"",
        "add_version 1 1 0 1; compact 1 null 2 3; get_version 1 \"compacted\" 4 5"
            + " | get_version(1) = \"compacted\"",
        // a change below a cut
        "as_of 6 null 0 1; put_version [5,1] \"added\" 2 3 | put_version([5,1]) = \"added\"",
        "as_of 6 null 0 1; add_version 1 6 2 3 | add_version(1) = 6",
        // a compacted version that is still read
        "add_version 1 1 0 1; add_version 2 2 2 3; compact 2 null 4 5; get_version 1 [1,1] 6 7"
            + " | get_version(1) = [1,1]",
        "add_version 1 1 0 1; add_version 2 2 2 3; compact 2 null 4 5; get_version 1 \"unknown\" 6 7"
            + " | get_version(1) = \"unknown\"",
        "add_version 1 1 0 1; add_version 2 2 2 3; compact 2 null 4 5; as_of 1 null 6 7"
            + " | as_of(1) = null",
        // one addition of unknown outcome with two versions
        "add_version 1 ? 0 ?; latest null [1,1] 2 3; get_version 2 [2,1] 4 5"
            + " | get_version(2) = [2,1]",
      })
  void whatNoVersionedKeyAnswersIsAViolationByItsCulprit(String text, String culprit)
      throws IOException {
    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(parse(text), Options.anyObjects());

    assertThat(verdict).as(verdict.explain()).isInstanceOf(LinearizabilityVerdict.Violation.class);
    assertThat(((LinearizabilityVerdict.Violation) verdict).culprit().describe())
        .isEqualTo(culprit);
  }

  @Test
  void whatIsNoOperationOfAVersionedKeyIsRefused() {
    assertThatThrownBy(
            () ->
                LinearizabilityChecker.check(
                    parse("latest null null 0 1; read null 1 2 3"), Options.anyObjects()))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageContaining("line 2: expected an operation of a versioned key, got read");
    assertThatThrownBy(
            () ->
                LinearizabilityChecker.check(
                    parse("put_version 5 \"added\" 0 1"), Options.anyObjects()))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageContaining("expected [version,value]");
  }

  /** Parses {@code op in out call return; …}. Each operation has its own client. */
  private static OperationHistory parse(String text) throws IOException {
    StringBuilder lines = new StringBuilder();
    int client = 0;
    for (String part : text.split("; ?")) {
      String[] words = part.strip().split(" +");
      boolean unknown = words[4].equals("?");
      lines.append(
          "{\"client\":%d,\"key\":\"k\",\"op\":\"%s\",\"in\":%s,\"out\":%s,\"call_ns\":%s,\"return_ns\":%s,\"ok\":%s}%n"
              .formatted(
                  client++,
                  words[0],
                  words[1],
                  unknown ? "null" : words[2],
                  words[3],
                  unknown ? "null" : words[4],
                  unknown ? "\"unknown\"" : "true"));
    }
    return HistoryReader.read(new StringReader(lines.toString()));
  }
}
