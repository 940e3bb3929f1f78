package io.ensemble.cli.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes are reported before anything is started. */
class ZoofenceCommandTest {

  @TempDir private Path directory;

  private Path rules(String text) throws IOException {
    return Files.writeString(directory.resolve("rules"), text);
  }

  @Test
  void itWantsEnsemblesOrEmbeddedOnes() {
    CliResult none = CliResult.ensemble("zoofence");
    CliResult both = CliResult.ensemble("zoofence", "--embedded", "2", "--ensembles", "a:1|b:1");

    assertThat(none.code()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("requires either --ensembles or --embedded N");
    assertThat(both.code()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aConnectStringWithAnEmptyPartIsRefused() {
    CliResult ran = CliResult.ensemble("zoofence", "--ensembles", "a:2181||b:2181");

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains("empty part");
  }

  @Test
  void aFlatteningThatIsWrongIsRefusedWithItsPaths() throws IOException {
    CliResult broken =
        CliResult.ensemble(
            "zoofence", "--embedded", "3", "--flattening", rules("/a 1 2\n/a/b 3\n").toString());
    CliResult absent =
        CliResult.ensemble("zoofence", "--embedded", "3", "--flattening", "/no/such/file");

    assertThat(broken.code()).isEqualTo(ExitCode.USAGE);
    assertThat(broken.err()).contains("/a/b (held by 3, but its parent only by 1,2)");
    assertThat(absent.code()).isEqualTo(ExitCode.USAGE);
    assertThat(absent.err()).contains("cannot read the flattening /no/such/file");
  }

  @Test
  void theNearestHaveToBeThere() {
    CliResult unknown =
        CliResult.ensemble(
            "zoofence", "--embedded", "2", "--reads", "nearest", "--nearest", "2,lyon");
    CliResult idle = CliResult.ensemble("zoofence", "--embedded", "2", "--nearest", "2");
    CliResult other = CliResult.ensemble("zoofence", "--embedded", "2", "--reads", "stale");

    assertThat(unknown.code()).isEqualTo(ExitCode.USAGE);
    assertThat(unknown.err()).contains("no instance is named 'lyon'; known are 1, 2");
    assertThat(idle.code()).isEqualTo(ExitCode.USAGE);
    assertThat(idle.err()).contains("--nearest requires --reads nearest");
    assertThat(other.code()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void anEnsembleThatIsNotReachedIsNamed() {
    CliResult ran =
        CliResult.ensemble("zoofence", "--ensembles", "lyon=127.0.0.1:1", "--patience", "300ms");

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err()).contains("no server of lyon (127.0.0.1:1) answered in 300 ms");
  }

  @Test
  void theCredentialForTheAdministrativeEnsembleIsReferredTo() throws IOException {
    String empty = "digest@file:" + rules("no-password");
    for (String given : new String[] {"user:password", "ip@env:PATH", empty}) {
      CliResult ran = CliResult.ensemble("zoofence", "--embedded", "2", "--admin-auth", given);

      assertThat(ran.code()).as(given).isEqualTo(ExitCode.USAGE);
      assertThat(ran.err()).contains("--admin-auth").doesNotContain("no-password");
    }
  }

  @Test
  void optionsOfClientsThatContradictEachOtherAreRefused() {
    CliResult withoutPort =
        CliResult.ensemble("zoofence", "--embedded", "1", "--key-store", "keys.p12");
    CliResult plainPassword =
        CliResult.ensemble(
            "zoofence", "--embedded", "1", "--secure-port", "0", "--key-store-password", "secret");
    CliResult negative =
        CliResult.ensemble("zoofence", "--embedded", "1", "--max-client-connections", "-1");

    assertThat(withoutPort.code()).isEqualTo(ExitCode.USAGE);
    assertThat(withoutPort.err()).contains("require --secure-port");
    assertThat(plainPassword.code()).isEqualTo(ExitCode.USAGE);
    assertThat(plainPassword.err())
        .contains("a password of a store must be file:PATH or env:NAME")
        .doesNotContain("secret");
    assertThat(negative.code()).isEqualTo(ExitCode.USAGE);
    assertThat(negative.err()).contains("must be 0 (no limit) or more; got -1");
  }

  @Test
  void tlsWithoutKeysIsRefused() {
    CliResult ran =
        CliResult.ensemble("zoofence", "--embedded", "1", "--port", "0", "--secure-port", "0");

    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains("TLS requires a key store: zookeeper.ssl.keyStore.location");
  }
}
