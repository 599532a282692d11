# How clingo's sources are put together: all files of a library in one unit, so that its headers are read once.
# Cargo passes this file to CMake (.cargo/config.toml). Older versions of CMake compile file by file.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.19)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)

  # Names at the top of these files are those of others.
  function(keep_apart)
    if(TARGET libgringo)
      set_source_files_properties(
        "${CMAKE_SOURCE_DIR}/libgringo/src/input/aggregates.cc"
        TARGET_DIRECTORY libgringo
        PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      foreach(name astv2_parse astv2_str astv2_unpool clingo_app gringo_app)
        set_source_files_properties(
          "${CMAKE_SOURCE_DIR}/libclingo/src/${name}.cc"
          TARGET_DIRECTORY libclingo
          PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endforeach()
    endif()
  endfunction()
  cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL keep_apart)
endif()
