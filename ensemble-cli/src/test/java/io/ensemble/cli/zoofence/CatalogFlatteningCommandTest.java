package io.ensemble.cli.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.zoofence.flattening.FlatteningText;
import java.util.List;
import org.junit.jupiter.api.Test;

class CatalogFlatteningCommandTest {

  @Test
  void eachSitesTaskIsAtItsEnsembleAndAllElseAtTheSharedOne() {
    CliResult ran =
        CliResult.ensemble("catalog", "flattening", "--shared", "main", "oslo=o", "lyon=l");

    assertThat(ran.code()).as(ran.err()).isZero();
    assertThat(ran.out())
        .isEqualTo(
            """
            /ensemble main,l,o
            /ensemble/id main
            /ensemble/cache main
            /ensemble/site main
            /ensemble/task main,l,o
            /ensemble/placement main
            /ensemble/task/site%20lyon l
            /ensemble/task/site%20oslo o
            """);
    assertThat(FlatteningText.read(ran.out(), List.of("main", "l", "o", "unused")).rules())
        .hasSize(8);
  }

  @Test
  void aSiteMayBeWhereAllElseIs() {
    CliResult ran =
        CliResult.ensemble(
            "catalog", "flattening", "--path", "/a/b", "--shared", "1", "s=1", "t=2");

    assertThat(ran.out()).contains("/a/b 1,2\n", "/a/b/task/site%20s 1\n");
    assertThat(FlatteningText.read(ran.out(), List.of("1", "2")).rules()).hasSize(8);
  }

  @Test
  void whatIsNoPathOrNamesNoSiteIsRefused() {
    assertThat(
            CliResult.ensemble("catalog", "flattening", "--shared", "1", "--path", "x", "s=1")
                .err())
        .contains("catalog path must be /NAME");
    assertThat(CliResult.ensemble("catalog", "flattening", "--shared", "1").code())
        .isEqualTo(ExitCode.USAGE);
    assertThat(CliResult.ensemble("catalog").err()).contains("a command is required: flattening");
  }
}
