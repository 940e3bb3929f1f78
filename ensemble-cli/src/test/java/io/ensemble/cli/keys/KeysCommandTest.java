package io.ensemble.cli.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeysCommandTest {

  private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]+)\"");
  private static final Pattern FORMER = Pattern.compile("(?m)^key ([0-9]+)$");

  @TempDir private Path directory;

  @Test
  void keysetsAreMadeShownRotatedAndRidOfKeysWithoutShowingOne() throws IOException {
    String file = directory.resolve("keyset").toString();

    CliResult created = CliResult.ensemble("keys", "create", "--names", file);
    CliResult again = CliResult.ensemble("keys", "create", file);
    CliResult prepared = CliResult.ensemble("keys", "rotate", "--prepare", file);
    CliResult rotated = CliResult.ensemble("keys", "rotate", file);
    Matcher former = FORMER.matcher(rotated.out());
    assertThat(former.find()).isTrue();
    CliResult retired = CliResult.ensemble("keys", "retire", file, former.group(1));
    CliResult shown = CliResult.ensemble("keys", "show", "--json", file);

    assertThat(created.code()).isZero();
    assertThat(again.code()).isEqualTo(ExitCode.FAILED);
    assertThat(again.err()).contains("must not exist");
    assertThat(prepared.code()).isZero();
    assertThat(rotated.code()).isZero();
    assertThat(retired.code()).isZero();
    assertThat(retired.out()).doesNotContain(former.group(1));
    assertThat(shown.out()).contains("\"primary\"", "\"names\"");
    Matcher secret = VALUE.matcher(Files.readString(Path.of(file)));
    while (secret.find()) {
      for (CliResult ran : new CliResult[] {created, prepared, rotated, retired, shown}) {
        assertThat(ran.out() + ran.err()).doesNotContain(secret.group(1));
      }
    }
  }

  @Test
  void aKeyThatIsNoNumberIsAMistake() {
    CliResult ran =
        CliResult.ensemble("keys", "retire", directory.resolve("keyset").toString(), "x");

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains("the id of a key must be a number");
  }
}
