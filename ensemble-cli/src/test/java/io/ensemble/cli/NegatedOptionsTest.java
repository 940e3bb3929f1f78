package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cli.rest.RestCommand;
import io.ensemble.cli.up.UpCommand;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A default action is not done if its option is negated. */
class NegatedOptionsTest {

  @Test
  void upServesRestAndCaresForSitesUnlessItIsToldNotTo() {
    UpCommand usual = new UpCommand();
    UpCommand told = new UpCommand();

    new CommandLine(usual).parseArgs();
    new CommandLine(told).parseArgs("--no-rest", "--no-maintenance");

    assertThat(usual.rest.rest).isTrue();
    assertThat(usual.maintenance).isTrue();
    assertThat(told.rest.rest).isFalse();
    assertThat(told.maintenance).isFalse();
  }

  @Test
  void aServiceOfItsOwnCaresForSitesUnlessItIsToldNotTo() {
    RestCommand told = new RestCommand();

    new CommandLine(told).parseArgs("--no-maintenance");

    assertThat(new RestCommand().maintenance).isTrue();
    assertThat(told.maintenance).isFalse();
  }
}
