package io.ensemble.cli.bench;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SiteSecurity;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of YCSB.
 *
 * @param workload {@code a} to {@code f}
 * @param mode {@code weak}, {@code swmr}, {@code mwmr} or {@code raw}
 * @param replication how many sites hold the records; null for the benchmarks' own choice
 * @param threads client threads; null for the benchmarks' own choice
 * @param target operations per second at most; null or 0 for as many as can be
 * @param records records to load; null for the benchmarks' own choice
 * @param operations operations to run; null for the benchmarks' own choice
 * @param out the directory that keeps the results; null for none
 */
public record YcsbRequest(
    String workload,
    String mode,
    @Nullable Integer replication,
    @Nullable Integer threads,
    @Nullable Integer target,
    @Nullable Integer records,
    @Nullable Integer operations,
    @Nullable Path out) {

  /**
   * @throws CommandException naming the option that is wrong: before anything is started for the
   *     run
   */
  public YcsbRequest {
    atLeast(1, "--replication", replication);
    atLeast(1, "--threads", threads);
    atLeast(0, "--target", target);
    atLeast(1, "--records", records);
    atLeast(1, "--operations", operations);
    if (out != null && Files.exists(out) && !Files.isDirectory(out)) {
      throw new CommandException(ExitCode.USAGE, "--out wants a directory; got the file " + out);
    }
  }

  private static void atLeast(int least, String option, @Nullable Integer given) {
    if (given != null && given < least) {
      throw new CommandException(
          ExitCode.USAGE, "%s wants %d or more; got %d".formatted(option, least, given));
    }
  }

  /**
   * Checks it against the sites that it will run on.
   *
   * @throws CommandException if they are too few
   */
  public void requireRunnableOn(int sites) {
    int most = mode.equals("raw") ? 1 : sites;
    if (replication != null && replication > most) {
      throw new CommandException(
          ExitCode.USAGE,
          "--replication wants 1 to %d in mode %s on %d sites; got %d"
              .formatted(most, mode, sites, replication));
    }
  }

  /**
   * Makes the directory of the results and removes an earlier run's report: while there is none,
   * this one has not come to its end.
   *
   * @throws CommandException if nothing can be kept there
   */
  public void prepareOut() {
    if (out != null) {
      try {
        Files.createDirectories(out);
        Files.deleteIfExists(out.resolve("result.json"));
      } catch (IOException e) {
        throw new CommandException("cannot keep results in " + out + ": " + e, e);
      }
    }
  }

  /** A run that keeps no results, as fast as it goes. */
  public static YcsbRequest brief(
      String workload, String mode, int replication, int threads, int records, int operations) {
    return new YcsbRequest(workload, mode, replication, threads, null, records, operations, null);
  }

  /**
   * The same as the benchmarks' arguments.
   *
   * @param catalog where the sites' caches are defined; null for nowhere
   */
  List<String> arguments(List<SiteDescriptor> sites, @Nullable String catalog) {
    List<String> all = new ArrayList<>();
    add(all, "--endpoints", endpoints(sites));
    sites.forEach(site -> access(all, site));
    add(all, "--workload", workload);
    add(all, "--mode", mode);
    add(all, "--replication", replication);
    add(all, "--threads", threads);
    add(all, "--target", target);
    add(all, "--records", records);
    add(all, "--operations", operations);
    add(all, "--catalog", catalog);
    add(all, "--out", out == null ? null : out.toAbsolutePath());
    return all;
  }

  /** Where its secrets are, never what they are: arguments show in lists of processes. */
  private static void access(List<String> all, SiteDescriptor site) {
    property(all, site, "storage", site.storage());
    SiteSecurity.User user = site.credentials();
    if (user != null) {
      property(all, site, "user", user.user());
      property(all, site, "password.file", user.passwordFile());
      property(all, site, "password.env", user.passwordEnv());
      property(all, site, "mechanism", user.mechanism());
    }
    SiteSecurity.Trust tls = site.tls();
    if (tls != null) {
      property(all, site, "trust.store", tls.trustStore());
      property(all, site, "trust.password.file", tls.passwordFile());
      property(all, site, "trust.password.env", tls.passwordEnv());
      property(all, site, "sni", tls.sniHostName());
    }
  }

  private static void property(
      List<String> all, SiteDescriptor site, String what, @Nullable String value) {
    if (value != null) {
      add(all, "-p", "ensemble.site." + site.name() + "." + what + "=" + value);
    }
  }

  /** {@code lyon=host:port,host:port;oslo=...}. */
  static String endpoints(List<SiteDescriptor> sites) {
    return sites.stream()
        .map(site -> site.name() + "=" + String.join(",", site.endpoints()))
        .collect(Collectors.joining(";"));
  }

  private static void add(List<String> all, String option, @Nullable Object value) {
    if (value != null) {
      all.add(option);
      all.add(value.toString());
    }
  }
}
