/** What makes several ensembles one deployment: the znodes that ZooFence keeps for itself. */
@NullMarked
package io.ensemble.zoofence.deployment;

import org.jspecify.annotations.NullMarked;
