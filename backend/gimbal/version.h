// gimbal's version, written here alone: CMakeLists.txt reads it, and it is part of every symbol's name (simt/config.h).
// To be raised whenever released headers differ from the ones before, as libraries of one version share their code.
#pragma once

#define GIMBAL_VERSION_MAJOR 0
#define GIMBAL_VERSION_MINOR 1
#define GIMBAL_VERSION_PATCH 0

/// To compare with: 100 is 0.1.0.
#define GIMBAL_VERSION (GIMBAL_VERSION_MAJOR * 100000 + GIMBAL_VERSION_MINOR * 100 + GIMBAL_VERSION_PATCH)
