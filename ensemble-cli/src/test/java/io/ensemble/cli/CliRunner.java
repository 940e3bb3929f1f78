package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.federation.FederationFile;
import java.util.ArrayList;
import java.util.List;

/** Commands on the federation of a file. */
public record CliRunner(FederationFile file) {

  /** Runs a command that succeeds, and prints only {@code shown} and what follows it. */
  public void ok(String shown, String... arguments) {
    CliResult ran = run(arguments);
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).startsWith(shown);
    assertThat(ran.code()).isZero();
  }

  /** Runs a command that fails with the reason in one line. */
  public void refused(int code, String why, String... arguments) {
    CliResult ran = run(arguments);
    assertThat(ran.err()).startsWith("ensemble: ").contains(why);
    assertThat(ran.err().lines()).hasSizeLessThanOrEqualTo(2);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(code);
  }

  public CliResult run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--federation");
    all.add(file.path().toString());
    return CliResult.ensemble(all);
  }
}
