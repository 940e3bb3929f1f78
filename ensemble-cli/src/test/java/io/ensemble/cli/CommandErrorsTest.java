package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.CommandErrors;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class CommandErrorsTest {

  private static final QuorumFailure SHORT =
      new QuorumFailure(2, 3, Set.of("lyon"), Map.of("oslo", "TIMED_OUT", "rome", "UNREACHABLE"));

  @Test
  void theThreeFamiliesHaveThreeCodes() {
    assertThat(CommandErrors.exitCode(new IllegalArgumentException("x"))).isEqualTo(ExitCode.USAGE);
    assertThat(CommandErrors.exitCode(new QuorumUnavailableException("c", SHORT)))
        .isEqualTo(ExitCode.FAILED);
    assertThat(CommandErrors.exitCode(new UnknownOutcomeException("c", SHORT)))
        .isEqualTo(ExitCode.UNKNOWN);
    assertThat(CommandErrors.exitCode(new CatalogException(Reason.UNKNOWN, "x")))
        .isEqualTo(ExitCode.UNKNOWN);
    assertThat(CommandErrors.exitCode(new CatalogException(Reason.CHANGED, "x")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(CommandErrors.exitCode(new NullPointerException())).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void whatFuturesWrapIsUnwrapped() {
    CompletionException wrapped = new CompletionException(new UnknownOutcomeException("c", SHORT));

    assertThat(CommandErrors.exitCode(wrapped)).isEqualTo(ExitCode.UNKNOWN);
    assertThat(CommandErrors.line(wrapped)).startsWith("outcome unknown").contains("rome");
  }

  @Test
  void aMessageIsOneLineOfBoundedLength() {
    assertThat(CommandErrors.line(new RuntimeException("a\n  b\r\nc"))).isEqualTo("a b c");
    assertThat(CommandErrors.line(new RuntimeException("x".repeat(5000)))).hasSizeLessThan(700);
    assertThat(CommandErrors.line(new IllegalStateException())).isEqualTo("IllegalStateException");
  }

  @Test
  void anErrorIsToldLikeAnyFailure() {
    CommandLine program = Main.commandLine();
    program.addSubcommand("break", new Breaking());

    CliResult ran = CliResult.of(program, "break", "--json");

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err()).contains("ensemble: this cannot be");
    assertThat(ran.out()).contains("\"error\"").contains("this cannot be");
  }

  @Command(name = "break")
  private static final class Breaking implements Runnable {

    @Option(names = "--json")
    private boolean json;

    @Override
    public void run() {
      throw new AssertionError("this cannot be");
    }
  }
}
