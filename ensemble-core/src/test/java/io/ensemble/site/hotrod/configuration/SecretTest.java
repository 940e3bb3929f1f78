package io.ensemble.site.hotrod.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretTest {

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"pässword ", "pässword \n", "pässword \r\n"})
  void aFileHoldsAPasswordWithOrWithoutAnEndOfLine(String content) throws IOException {
    Path file = Files.writeString(directory.resolve("p"), content);

    assertThat(Secret.inFile(file).get()).isEqualTo("pässword ".toCharArray());
  }

  @Test
  void aPasswordThatIsChangedIsReadAnew() throws IOException {
    Path file = Files.writeString(directory.resolve("p"), "old");
    Secret secret = Secret.inFile(file);
    char[] taken = secret.get();
    taken[0] = 'x';

    assertThat(secret.get()).isEqualTo("old".toCharArray());
    Files.writeString(file, "new");
    assertThat(secret.get()).isEqualTo("new".toCharArray());
  }

  @Test
  void aVariableHoldsAPassword() {
    Map.Entry<String, String> some =
        System.getenv().entrySet().stream()
            .filter(entry -> !entry.getValue().isEmpty())
            .findFirst()
            .orElseThrow();

    assertThat(Secret.inVariable(some.getKey()).get()).isEqualTo(some.getValue().toCharArray());
    assertThatThrownBy(() -> Secret.inVariable("ENSEMBLE_NOT_SET").get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("variable=ENSEMBLE_NOT_SET");
  }

  @Test
  void whereThereIsNoneIsToldAndWhatThereIsIsNot() throws IOException {
    Path missing = directory.resolve("none");
    Path empty = Files.writeString(directory.resolve("empty"), "\n");
    Path binary = Files.write(directory.resolve("binary"), new byte[] {'s', 'e', 'c', (byte) 0xff});
    Path large = Files.writeString(directory.resolve("large"), "secret".repeat(1000));

    for (Path file : new Path[] {missing, empty, binary, large, directory}) {
      assertThatThrownBy(() -> Secret.inFile(file).get())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("file=" + file)
          .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("sec"));
    }
    Path file = Files.writeString(directory.resolve("p"), "hush");
    assertThat(Credentials.of("ada", Secret.inFile(file)).toString()).doesNotContain("hush");
    assertThat(Secret.inFile(file).toString()).contains("p").doesNotContain("hush");
  }
}
