package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The session of the documentation runs as it is documented. */
@Tag("deep")
class FederationSessionIT {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final int LONGEST_MINUTES = 15;

  @TempDir Path directory;

  @Test
  void theSessionGoesAsItIsTold() throws Exception {
    assumeTrue(File.separatorChar == '/');
    Files.createSymbolicLink(directory.resolve("ensemble"), ROOT.resolve("ensemble"));
    Path script = Files.writeString(directory.resolve("session.sh"), blocks());
    Path shown = directory.resolve("shown.log");
    Process bash =
        new ProcessBuilder("bash", "-e", script.toString())
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(shown.toFile())
            .start();
    try {
      boolean ended = bash.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES);
      String text = Files.readString(shown);
      System.out.println(text);

      assertThat(ended).as(text).isTrue();
      assertThat(bash.exitValue()).as(text).isZero();
      assertThat(text)
          .containsSubsequence(
              "created: cache 'orders', weak, at lyon,oslo",
              "altered: cache 'orders' is mwmr at lyon,oslo,rome",
              "drained: no cache is at lyon",
              "removed: site 'lyon'",
              "held: linearizable per key");
    } finally {
      bash.descendants().forEach(ProcessHandle::destroy);
      bash.destroy();
    }
  }

  private static String blocks() throws IOException {
    Matcher block = BLOCK.matcher(Files.readString(ROOT.resolve("docs/session.md")));
    StringBuilder script = new StringBuilder();
    while (block.find()) {
      script.append(block.group(1));
    }
    return script.toString();
  }
}
