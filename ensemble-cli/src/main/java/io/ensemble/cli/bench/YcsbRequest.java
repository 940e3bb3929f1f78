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
 * @param replication the number of sites that hold the records; null for the default of the
 *     benchmarks
 * @param threads the number of client threads; null for the default of the benchmarks
 * @param target the maximum number of operations per second; null or 0 for no limit
 * @param records the number of records to load; null for the default of the benchmarks
 * @param operations the number of operations to run; null for the default of the benchmarks
 * @param out the directory for the results; null for none
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
   * @throws CommandException if an option is invalid, before any process starts; the message names
   *     the option
   */
  public YcsbRequest {
    atLeast(1, "--replication", replication);
    atLeast(1, "--threads", threads);
    atLeast(0, "--target", target);
    atLeast(1, "--records", records);
    atLeast(1, "--operations", operations);
    if (out != null && Files.exists(out) && !Files.isDirectory(out)) {
      throw new CommandException(ExitCode.USAGE, "--out must be a directory; got the file " + out);
    }
  }

  private static void atLeast(int least, String option, @Nullable Integer given) {
    if (given != null && given < least) {
      throw new CommandException(
          ExitCode.USAGE, "%s must be %d or more; got %d".formatted(option, least, given));
    }
  }

  /**
   * Checks the request against the sites that it will run on.
   *
   * @throws CommandException if they are too few
   */
  public void requireRunnableOn(int sites) {
    int most = mode.equals("raw") ? 1 : sites;
    if (replication != null && replication > most) {
      throw new CommandException(
          ExitCode.USAGE,
          "--replication must be in [1, %d] in mode %s on %d sites; got %d"
              .formatted(most, mode, sites, replication));
    }
  }

  /**
   * Creates the directory of the results and removes the report of an earlier run: a directory
   * without a report shows that the run has not finished.
   *
   * @throws CommandException if the directory cannot be written to
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

  /** A run without results, at maximum speed. */
  public static YcsbRequest brief(
      String workload, String mode, int replication, int threads, int records, int operations) {
    return new YcsbRequest(workload, mode, replication, threads, null, records, operations, null);
  }

  /**
   * The request as arguments of the benchmarks.
   *
   * @param catalog the address of the catalog; null for none
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

  /**
   * Passes the locations of secrets, never the secrets themselves: arguments are visible in lists
   * of processes.
   */
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
      property(all, site, "key.store", tls.keyStore());
      property(all, site, "key.password.file", tls.keyStorePasswordFile());
      property(all, site, "key.password.env", tls.keyStorePasswordEnv());
      property(all, site, "sni", tls.sniHostName());
      property(all, site, "revocation.list", tls.revocationList());
    }
  }

  private static void property(
      List<String> all, SiteDescriptor site, String what, @Nullable String value) {
    if (value != null) {
      add(all, "-p", "ensemble.site." + site.name() + "." + what + "=" + value);
    }
  }

  /** Formats the sites as {@code lyon=host:port,host:port;oslo=...}. */
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
