package io.ensemble.check.migration;

import io.ensemble.check.federation.SiteDescriptor;
import java.util.List;

/**
 * The order to a mover's process, as one line of JSON on its standard input.
 *
 * @param sites the sites and their addresses
 * @param catalog the address of the catalog
 * @param cache the cache to change
 * @param to the new sites of the cache
 */
public record MigrationSpec(
    List<SiteDescriptor> sites, String catalog, String cache, List<String> to) {}
