package io.ensemble.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import site.ycsb.Client;

/** The binding under YCSB's own program, load and run in two processes. */
class PlainYcsbIT {

  @TempDir Path directory;

  @Test
  void theBindingWorksWithYcsbsOwnProgram() throws Exception {
    try {
      String load = ycsb("-load");
      String run = ycsb("-t");

      assertThat(load).contains("[INSERT], Return=OK, 50").doesNotContain("FAILED");
      assertThat(run).contains("[READ], Return=OK", "[UPDATE], Return=OK").doesNotContain("FAILED");
    } finally {
      deleteCache();
    }
  }

  private void deleteCache() {
    Properties properties = new Properties();
    binding().forEach(properties::setProperty);
    SharedStore shared = SharedStore.acquire(BindingProperties.read(properties));
    shared.store().drop();
    shared.release();
  }

  private Map<String, String> binding() {
    return Map.of(
        BindingProperties.ENDPOINTS,
        YcsbBindingIT.site(),
        BindingProperties.MODE,
        "mwmr",
        BindingProperties.CACHE,
        "plain-ycsb",
        BindingProperties.CATALOG,
        directory.resolve("definitions").toString());
  }

  private String ycsb(String phase) throws Exception {
    Path out = directory.resolve(phase.substring(1));
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Client.class.getName(),
                phase,
                "-db",
                EnsembleDb.class.getName(),
                "-threads",
                "4"));
    List.of(
            "workload=site.ycsb.workloads.CoreWorkload",
            "recordcount=50",
            "operationcount=100",
            "readproportion=0.5",
            "updateproportion=0.5")
        .forEach(property -> command.addAll(List.of("-p", property)));
    binding().forEach((name, value) -> command.addAll(List.of("-p", name + "=" + value)));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      return Files.readString(out);
    } finally {
      process.destroyForcibly();
    }
  }
}
