package io.ensemble.check.migration;

import io.ensemble.check.federation.SiteDescriptor;
import java.util.List;

/**
 * What a mover's process is told to do, as one line of JSON on its standard input.
 *
 * @param sites where the sites are
 * @param catalog where the caches are defined
 * @param cache the cache that is to be changed
 * @param to the sites that it is to come to
 */
public record MigrationSpec(
    List<SiteDescriptor> sites, String catalog, String cache, List<String> to) {}
