package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.check.process.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A catalog's address is mistyped. */
class MissingCatalogTest {

  @TempDir Path directory;

  private CliResult run(String command, Path catalog) {
    return CliResult.ensemble((command + " --catalog " + catalog).split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sites list",
        "sites remove a",
        "sites drain a",
        "caches list",
        "caches delete c",
        "get c k",
        "migrations",
        "explain placement c"
      })
  void whoOnlyReadsMakesNone(String command) {
    Path typo = directory.resolve("typo");

    CliResult ran = run(command, typo);

    assertThat(ran.err()).contains("there is no catalog at '" + typo + "'");
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(typo).doesNotExist();
  }

  private CliResult runOnSites(String command, String catalog) throws IOException {
    Path sites = directory.resolve("sites.json");
    Files.writeString(
        sites,
        "{'sites': [{'name': 'lyon', 'endpoints': ['127.0.0.1:1']}], 'catalog': 'CATALOG'}"
            .replace("CATALOG", catalog)
            .replace('\'', '"'));
    CliResult ran = CliResult.ensemble((command + " --federation " + sites).split(" "));
    try (var files = Files.list(directory)) {
      assertThat(files).as("what there is").containsExactly(sites);
    }
    return ran;
  }

  @ParameterizedTest
  @ValueSource(strings = {"sites list", "sites drain lyon", "caches list", "get c k", "migrations"})
  void neitherWhereSitesAreToldOfByAFile(String command) throws IOException {
    CliResult ran = runOnSites(command, "typo");

    assertThat(ran.err()).contains("there is no catalog at '" + directory.resolve("typo") + "'");
    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"caches list", "caches create c --mode weak"})
  void anAddressOfAnotherSchemeIsNoDirectory(String command) throws IOException {
    CliResult ran = runOnSites(command, "zookeeper://h:1/p");

    assertThat(ran.err()).contains("got 'zookeeper://h:1/p'");
    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aDirectoryOfOtherThingsStaysAsItIs() throws Exception {
    Files.writeString(directory.resolve("letter"), "Dear");

    CliResult ran = run("sites list", directory);

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactlyElementsOf(List.of(directory.resolve("letter")));
    }
  }

  @Test
  void anEmptyCatalogHasNoSites() {
    FileDefinitions.in(directory);

    CliResult ran = run("sites list", directory);

    assertThat(ran.out()).startsWith("no sites");
    assertThat(ran.code()).isZero();
  }
}
