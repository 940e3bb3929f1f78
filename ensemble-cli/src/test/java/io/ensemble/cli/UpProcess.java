package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code up} in a process of its own, and the commands that find it by its file. */
public record UpProcess(CliProcess launched, FederationFile file) {

  public static UpProcess started(FederationFile file, String... options) throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of("up", "--json", "--federation", file.path().toString()));
    arguments.addAll(List.of(options));
    return new UpProcess(CliProcess.started("512m", arguments), file);
  }

  public Process process() {
    return launched.process();
  }

  /** The document that {@code up} prints when it is up; its standard output stays open. */
  public JsonNode published() throws IOException {
    return launched.published();
  }

  /** Ends the process as a user does, by SIGTERM. */
  public void stop() throws InterruptedException {
    launched.stop();
  }

  /** Ends the process as {@code kill -9} does. */
  public void kill() throws InterruptedException {
    launched.kill();
  }

  /** Runs a command on its federation, which has to end with {@code code}. */
  public CliResult run(int code, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--federation", file.path().toString()));
    CliResult ran = CliResult.ensemble(all);
    assertThat(ran.code()).as(ran.err()).isEqualTo(code);
    return ran;
  }
}
