package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

/** Each command in a runbook exists, with its options and its number of parameters. */
class RunbookCommandsTest {

  private static final Path RUNBOOKS = Path.of("..", "docs", "runbooks");
  private static final Pattern COMMAND = Pattern.compile("`\\./ensemble ([^`]+)`");

  private static List<String> commands() throws IOException {
    List<String> commands = new ArrayList<>();
    try (Stream<Path> pages = Files.list(RUNBOOKS)) {
      for (Path page : pages.toList()) {
        COMMAND
            .matcher(Files.readString(page))
            .results()
            .map((MatchResult command) -> command.group(1))
            .forEach(commands::add);
      }
    }
    return commands;
  }

  private static void parse(String command) {
    Main.commandLine().parseArgs(command.split(" "));
  }

  @Test
  void eachCommandCanBeParsed() throws IOException {
    List<String> commands = commands();

    assertThat(commands).hasSizeGreaterThan(40);
    for (String command : commands) {
      assertThatCode(() -> parse(command)).as(command).doesNotThrowAnyException();
    }
  }

  @Test
  void aCommandThatDoesNotExistIsFound() {
    for (String wrong : List.of("sites repair SITE", "sites recover", "caches list --all")) {
      assertThatThrownBy(() -> parse(wrong)).as(wrong).isInstanceOf(ParameterException.class);
    }
  }
}
