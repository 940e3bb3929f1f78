package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.cli.DocumentedSession.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentedSessionTest {

  @Test
  void whatIsTypedAndWhatComesAreReadOutOfTheBlocks() {
    DocumentedSession session =
        DocumentedSession.of(
            """
            Words, and `$ this` is no command.
            ```
            $ nor this
            ```
            ```console
            $ first
            $ second & pid=$!
            one

              two $ three
            ```
            ```console
            $ third
            ```
            """);

    assertThat(session.steps())
        .containsExactly(
            new Step("first", ""),
            new Step("second & pid=$!", "one\n\n  two $ three"),
            new Step("third", ""));
  }

  @Test
  void whatComesBeforeAnythingIsTypedIsAMistake() {
    assertThatThrownBy(() -> DocumentedSession.of("```console\nout\n$ in\n```\n"))
        .hasMessageContaining("out");
  }

  @Test
  void whatDiffersEachTimeIsNotCompared() {
    Step answer =
        new Step(
            "curl", "Date: Mon\nEnsemble-Stamp: 1795401042864096@767e\n\n{\"phi\":19,\"a\":1}");

    assertThat(
            answer.isShown(
                "Date: Tue, 2\r\nEnsemble-Stamp: 1895401042864097@0b\n\n{\"phi\":2.5,\"a\":1}\n\n"))
        .isTrue();
    assertThat(new Step("up", "lyon  127.0.0.1:1").isShown("lyon  127.0.0.1:20123\n")).isTrue();
  }

  @Test
  void everythingElseIsCompared() {
    Step answer = new Step("curl", "HTTP/1.1 201 Created\n\n{\"phi\":19,\"a\":1}");

    assertThat(answer.isShown("HTTP/1.1 201 Created\n\n{\"phi\":19,\"a\":1}")).isTrue();
    assertThat(answer.isShown("HTTP/1.1 200 Created\n\n{\"phi\":19,\"a\":1}")).isFalse();
    assertThat(answer.isShown("HTTP/1.1 201 Created\n\n{\"phi\":19,\"a\":2}")).isFalse();
    assertThat(answer.isShown("HTTP/1.1 201 Created\n\n{\"phi\":19,\"a\":1}\nmore")).isFalse();
    assertThat(answer.isShown("HTTP/1.1 201 Created\n")).isFalse();
    assertThat(new Step("kill", "").isShown("no such process\n")).isFalse();
  }

  @Test
  void anEllipsisIsAnythingInItsLineOrAnyLines() {
    assertThat(new Step("a", "{\"a\":1,…}").isShown("{\"a\":1,\"b\":[2]}")).isTrue();
    assertThat(new Step("a", "{\"a\":1,…}").isShown("{\"a\":1,\n}")).isFalse();
    assertThat(new Step("a", "one\n…\nfour").isShown("one\ntwo\nthree\nfour")).isTrue();
    assertThat(new Step("a", "one\n…\nfour").isShown("one\ntwo")).isFalse();
  }

  @Test
  void theScriptEndsAtTheFirstCommandThatFails(@TempDir Path directory) throws Exception {
    DocumentedSession session =
        DocumentedSession.of(
            "```console\n$ a=1\n$ echo $a; echo bad >&2\n$ false\n$ echo b\n```\n");
    Path out = directory.resolve("out");

    int code =
        new ProcessBuilder("bash", "-c", session.script())
            .redirectOutput(out.toFile())
            .start()
            .waitFor();

    assertThat(code).isEqualTo(1);
    assertThat(DocumentedSession.came(out)).containsExactly("", "1\nbad\n", "");
    assertThat(Files.readString(out)).doesNotContain("b\n\n");
  }
}
