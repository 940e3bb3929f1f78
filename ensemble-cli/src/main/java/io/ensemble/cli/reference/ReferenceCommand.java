package io.ensemble.cli.reference;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.check.process.CommandException;
import io.ensemble.rest.RestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "reference",
    hidden = true, // For ./build-site and for the distribution.
    description = {
      "Print the reference of the command line or of REST, in Markdown.",
      "With --manual-pages, write the manual pages of the command line instead."
    })
public final class ReferenceCommand implements Runnable {

  enum Subject {
    COMMANDS,
    REST
  }

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..1", paramLabel = "SUBJECT", description = "${COMPLETION-CANDIDATES}")
  Subject subject = Subject.COMMANDS;

  @Option(
      names = "--manual-pages",
      paramLabel = "DIR",
      description = "Write a manual page for each command to this directory.")
  @Nullable Path manualPages;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    if (manualPages != null) {
      write(manualPages);
      return;
    }
    spec.commandLine().getOut().print(page());
    spec.commandLine().getOut().flush();
  }

  private void write(Path directory) {
    try {
      Files.createDirectories(directory);
      for (var page : ManualPage.pages(spec.root().commandLine()).entrySet()) {
        Files.writeString(directory.resolve(page.getKey()), page.getValue());
      }
    } catch (IOException e) {
      throw new CommandException("cannot write manual pages to " + directory + ": " + e, e);
    }
  }

  private String page() {
    if (subject == Subject.COMMANDS) {
      return CommandReference.page(spec.root().commandLine());
    }
    try {
      return RestReference.page(new ObjectMapper().readTree(RestService.openApi()));
    } catch (IOException e) {
      throw new AssertionError("the service creates a JSON document", e);
    }
  }
}
