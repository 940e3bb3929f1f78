package io.ensemble.deploy.ycsb;

import io.ensemble.deploy.federation.FederationState.Place;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of YCSB.
 *
 * @param workload {@code a} to {@code f}
 * @param mode {@code weak}, {@code mwmr} or {@code raw}
 * @param replication how many sites hold the records; null for the benchmarks' own choice
 * @param threads client threads; null for the benchmarks' own choice
 * @param target operations per second to aim at; null for as many as can be
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

  /** A run that keeps no results, as fast as it goes. */
  public static YcsbRequest brief(
      String workload, String mode, int replication, int threads, int records, int operations) {
    return new YcsbRequest(workload, mode, replication, threads, null, records, operations, null);
  }

  /**
   * The same as the benchmarks' arguments.
   *
   * @param definitions where the sites' caches are defined; null for nowhere
   */
  List<String> arguments(List<Place> sites, @Nullable Path definitions) {
    List<String> all = new ArrayList<>();
    add(all, "--endpoints", endpoints(sites));
    add(all, "--workload", workload);
    add(all, "--mode", mode);
    add(all, "--replication", replication);
    add(all, "--threads", threads);
    add(all, "--target", target);
    add(all, "--records", records);
    add(all, "--operations", operations);
    add(all, "--definitions", definitions);
    add(all, "--out", out == null ? null : out.toAbsolutePath());
    return all;
  }

  /** {@code lyon=host:port,host:port;oslo=...}. */
  static String endpoints(List<Place> sites) {
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
