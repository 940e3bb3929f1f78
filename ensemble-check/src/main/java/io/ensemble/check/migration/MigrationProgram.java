package io.ensemble.check.migration;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.reconfiguration.ChangeRun;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The program of a process that moves a cache to other sites. It reads its {@link MigrationSpec},
 * reports that it has begun, and carries out the change until the change is over or the process is
 * killed. It ends when its standard input does.
 */
public final class MigrationProgram {

  /** The line that it prints once the change is in the cache's record. */
  static final String BEGUN = "begun";

  private MigrationProgram() {}

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    run(System.in, System.out);
    System.exit(0);
  }

  private static void run(InputStream in, PrintStream out) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
    MigrationSpec order = JsonOutput.mapper().readValue(lines.readLine(), MigrationSpec.class);
    try (EnsembleCacheManager manager =
        FederationConnection.builder(order.sites()).catalog(order.catalog()).build()) {
      CacheDefinition now =
          manager
              .stored(order.cache())
              .orElseThrow(() -> new NoSuchElementException("the cache to change does not exist"))
              .definition();
      ChangeRun run = manager.alter(at(now, order.to()));
      out.println(BEGUN);
      out.flush();
      lines.readLine(); // The change continues meanwhile, until the starter ends the input.
      if (!run.done().toCompletableFuture().isDone()) {
        Runtime.getRuntime().halt(1);
      }
    }
  }

  /** The same cache at other sites. */
  static CacheDefinition at(CacheDefinition now, List<String> sites) {
    return new CacheDefinition(
        now.name(),
        now.mode(),
        sites,
        now.deadline(),
        now.maxValueBytes(),
        now.acknowledgement(),
        now.tombstoneGrace(),
        now.window(),
        now.siblings(),
        now.privacy());
  }
}
