package io.ensemble.cli.backup;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.cli.backup.format.BackupManifest.DefinitionBackup;
import io.ensemble.placement.ReplicaName;
import java.time.Duration;
import java.util.List;

/** Converts definitions of caches to those of a manifest and back. */
final class BackupDefinitions {

  private BackupDefinitions() {}

  static DefinitionBackup of(CacheDefinition definition, int shards) {
    return new DefinitionBackup(
        definition.mode().name(),
        definition.sites(),
        shards,
        definition.deadline().toMillis(),
        definition.maxValueBytes(),
        definition.acknowledgement().name(),
        definition.tombstoneGrace().toMillis(),
        definition.window().writes(),
        definition.window().age().toMillis(),
        definition.siblings(),
        definition.privacy().name());
  }

  /**
   * The definition of a cache to restore.
   *
   * @param sites instead of those of the backup; empty to keep these. With as many sites, each one
   *     has as many replicas as the site in its place; otherwise the numbers are the usual ones
   * @throws IllegalArgumentException if the settings cannot work
   */
  static CacheDefinition toDefinition(DefinitionBackup backup, String name, List<String> sites) {
    Mode mode = Mode.valueOf(backup.mode());
    List<String> former = ReplicaName.sitesOf(backup.replicas());
    CacheDefinition.Builder builder =
        CacheDefinition.of(name, mode)
            .sites(sites.isEmpty() ? former : sites)
            .deadline(Duration.ofMillis(backup.deadlineMillis()))
            .maxValueBytes(backup.maxValueBytes())
            .acknowledgement(Acknowledgement.valueOf(backup.acknowledgement()))
            .tombstoneGrace(Duration.ofMillis(backup.tombstoneGraceMillis()))
            .window(
                new CopyWindow(backup.windowWrites(), Duration.ofMillis(backup.windowAgeMillis())))
            .siblings(backup.siblings())
            .privacy(Privacy.valueOf(backup.privacy()));
    if (sites.isEmpty()) {
      return builder.build().at(backup.replicas());
    }
    if (sites.size() == former.size() && backup.replicas().size() > former.size()) {
      builder.replicas(backup.replicas().size());
    }
    return builder.build();
  }
}
