/**
 * Processes that the launcher starts beside its own, and what it sees to should it be told to end
 * before they are through.
 */
@NullMarked
package io.ensemble.deploy.process;

import org.jspecify.annotations.NullMarked;
