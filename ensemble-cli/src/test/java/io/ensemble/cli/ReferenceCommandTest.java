package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReferenceCommandTest {

  private static String page(String subject) {
    StringWriter out = new StringWriter();
    CommandLine program = Main.commandLine();
    program.setOut(new PrintWriter(out));
    assertThat(program.execute("reference", subject)).isZero();
    return out.toString();
  }

  private static Stream<CommandLine> all(CommandLine command) {
    return Stream.concat(
        Stream.of(command),
        command.getSubcommands().values().stream().flatMap(ReferenceCommandTest::all));
  }

  @Test
  void theReferenceOfTheCommandLineHasEachCommandThatIsNotHidden() {
    List<String> headings = page("commands").lines().filter(one -> one.startsWith("## ")).toList();

    assertThat(headings)
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(
            all(Main.commandLine())
                .filter(one -> !one.getCommandSpec().usageMessage().hidden())
                .map(one -> one.getCommandSpec().qualifiedName())
                .filter(name -> !name.endsWith(" help"))
                .map(name -> "## " + name)
                .toList())
        .contains("## ensemble caches create");
  }

  @Test
  void theReferenceOfRestHasEachRequestAndEachSchemaToWhichItLinks() {
    String page = page("rest");
    List<String> links = new ArrayList<>();
    for (Matcher link = Pattern.compile("\\[(\\w+)]\\(#schema-\\w+\\)").matcher(page);
        link.find(); ) {
      links.add("### Schema " + link.group(1));
    }

    assertThat(page.lines())
        .contains("### GET /openapi.json", "### PUT /caches/{cache}/entries/{key}")
        .containsAll(links);
    assertThat(links).hasSizeGreaterThan(50);
  }

  @Test
  void eachCommandThatIsNotHiddenHasAManualPage(@TempDir Path directory) throws IOException {
    CommandLine program = Main.commandLine();
    assertThat(program.execute("reference", "--manual-pages", directory.toString())).isZero();

    List<String> pages;
    try (Stream<Path> files = Files.list(directory)) {
      pages = files.map(one -> one.getFileName().toString()).toList();
    }
    assertThat(pages)
        .containsExactlyInAnyOrderElementsOf(
            all(Main.commandLine())
                .filter(one -> !one.getCommandSpec().usageMessage().hidden())
                .map(one -> one.getCommandSpec().qualifiedName("-"))
                .filter(name -> !name.endsWith("-help"))
                .map(name -> name + ".1")
                .toList());
    assertThat(Files.readString(directory.resolve("ensemble-rest.1")))
        .startsWith(".TH ENSEMBLE\\-REST 1 ")
        .contains(".SH NAME\nensemble\\-rest \\- Run the REST service")
        .contains(".TP\n.B \\-\\-port=PORT\n")
        .doesNotContain("%n", "@|");
  }
}
