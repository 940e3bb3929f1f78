package io.ensemble.check.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which files in its report's directory a run of {@code check} keeps. */
class WorkDirectoryTest {

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "clients/orders.db",
        "sites/lyon/data",
        "catalog/notes",
        "definitions/cache",
        "history.jsonl",
        "summary.json"
      })
  void aDirectoryWithSuchFilesOfOthersIsRefusedAndTheyStay(String name) throws IOException {
    Path others = directory.resolve(name);
    Files.createDirectories(others.getParent());
    Files.writeString(others, "precious");

    assertThatThrownBy(() -> WorkDirectory.make(directory))
        .isInstanceOfSatisfying(
            CommandException.class,
            refused -> assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessageContaining("that were not written by check")
        .hasMessageContaining(directory.relativize(others).getName(0).toString());

    assertThat(others).hasContent("precious");
  }

  @Test
  void otherFilesAreNotInTheWayAndStay() throws IOException {
    Path others = Files.writeString(directory.resolve("notes.txt"), "precious");

    run(true);
    run(false);

    assertThat(others).hasContent("precious");
  }

  @Test
  void whatARunHasMadeTheNextOneReplaces() throws IOException {
    run(false);
    assertThat(directory.resolve("clients/client-0.log")).exists();

    try (WorkDirectory second = WorkDirectory.make(directory)) {
      assertThat(second.parts()).isEmptyDirectory();
    }
  }

  @Test
  void whatWasMadeInAPlaceThatARunHasLeftIsNotARuns() throws IOException {
    run(true);
    assertThat(directory.resolve("sites")).doesNotExist();
    Path others = Files.createDirectories(directory.resolve("sites"));

    assertThatThrownBy(() -> WorkDirectory.make(directory))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("sites");
    assertThat(others).exists();
  }

  private void run(boolean ok) throws IOException {
    try (WorkDirectory run = WorkDirectory.make(directory)) {
      Files.writeString(run.parts().resolve("client-0.jsonl"), "{}");
      Files.writeString(run.parts().resolve("client-0.log"), "what went wrong");
      Files.createDirectories(run.sites());
      Files.createDirectories(run.file("definitions"));
      run.keep(ok);
      run.written();
    }
  }

  @Test
  void nothingOfARunGoesBeforeItsEvidenceIsWritten() throws IOException {
    try (WorkDirectory run = WorkDirectory.make(directory)) {
      Files.writeString(run.parts().resolve("client-0.jsonl"), "{}");
      Files.createDirectories(run.sites().resolve("lyon/data"));
      run.keep(false);
    }

    assertThat(directory.resolve("clients/client-0.jsonl")).hasContent("{}");
    assertThat(directory.resolve("sites/lyon/data")).exists();
  }

  @Test
  void anEarlierReportStaysUntilThereIsAnother() throws IOException {
    ReportFiles.prepare(directory);
    Path evidence = Files.writeString(directory.resolve("history.jsonl"), "{}");
    Files.writeString(directory.resolve("summary.json"), "{}");

    WorkDirectory.make(directory).close();

    assertThat(evidence).hasContent("{}");
    assertThat(directory.resolve("summary.json")).as("of a run that ended").doesNotExist();
  }
}
