package io.ensemble.cli.reference;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.rest.RestService;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "reference",
    hidden = true, // For ./build-site.
    description = "Print the reference of the command line or of REST, in Markdown.")
public final class ReferenceCommand implements Runnable {

  enum Subject {
    COMMANDS,
    REST
  }

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "SUBJECT", description = "${COMPLETION-CANDIDATES}")
  Subject subject = Subject.COMMANDS;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    spec.commandLine().getOut().print(page());
    spec.commandLine().getOut().flush();
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
