package io.ensemble.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node that hangs in its start reports where; a program in place of the server hangs on purpose.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(180)
class NodeDiagnosticsTest {

  private static final String SERVER =
      """
      package io.ensemble.process;

      import java.nio.file.*;
      import java.util.concurrent.CountDownLatch;

      public final class TetheredServer {
        public static void main(String[] arguments) throws Exception {
          Path log = Path.of(arguments[1], "log", "server.log");
          Files.writeString(log, "opens its store\\nwaits for its turn\\n");
          hangsOnPurpose();
        }

        static void hangsOnPurpose() throws Exception {
          new CountDownLatch(1).await();
        }
      }
      """;

  @TempDir Path directory;
  private ServerNode node;

  @BeforeEach
  void launch() throws Exception {
    ServerLibrary library = new ServerLibrary(library());
    node = new ServerNode("lyon", 0, ProcessOptions.in(directory, library), null);
    node.launch("lyon-test", List.of(node.clusterPort()), () -> {});
    await("a line in the log")
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofMinutes(2))
        .until(() -> !node.files().lastLines(1).isEmpty());
  }

  @AfterEach
  void end() {
    node.kill();
  }

  @Test
  void aNodeThatHangsInItsStartLeavesTheStacksOfItsThreadsAndTheEndOfItsLog() throws Exception {
    assertThatThrownBy(() -> node.awaitStarted(Duration.ofSeconds(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("did not become healthy within 1 s")
        .hasMessageContaining("threads=" + node.files().threads())
        .hasMessageEndingWith("opens its store\nwaits for its turn");

    assertThat(Files.readString(node.files().threads(), UTF_8))
        .contains("\"main\"", "TetheredServer.hangsOnPurpose");
    assertThat(node.isAlive()).isTrue();
  }

  @Test
  void aProcessThatDoesNotEvenAnswerIsToldAsSuch() {
    node.stop();
    Process stopped = Objects.requireNonNull(node.process());

    assertThat(NodeDiagnostics.of(stopped, node.files(), Duration.ofSeconds(1)))
        .startsWith("threads=none, the JVM did not answer within 1 s")
        .endsWith("waits for its turn");

    node.resume();
  }

  private Path library() throws Exception {
    Path classes = Files.createDirectories(directory.resolve("classes"));
    Path source = Files.writeString(directory.resolve("TetheredServer.java"), SERVER);
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", classes.toString(), source.toString());
    assertThat(failed).isZero();
    Path jars = Files.createDirectories(directory.resolve("jars").resolve("lib"));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "none.jar");
    String name = ServerLibrary.MAIN.replace('.', '/') + ".class";
    try (JarOutputStream jar =
        new JarOutputStream(
            Files.newOutputStream(jars.resolve("ensemble-site-process.jar")), manifest)) {
      jar.putNextEntry(new JarEntry(name));
      jar.write(Files.readAllBytes(classes.resolve(name)));
      jar.closeEntry();
    }
    return jars;
  }
}
