/**
 * The command {@code doctor}: asks the catalog, the sites, their nodes and files, each within a
 * bounded time and all concurrently, and has {@link io.ensemble.check.doctor} judge the answers.
 */
@NullMarked
package io.ensemble.cli.doctor;

import org.jspecify.annotations.NullMarked;
